package ristretto.spark.rows;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.kernels.ShapeException;
import ristretto.spark.model.RowOutput;

/** Rows of an output of a model, as values of a column. */
public final class OutputRows {
  private final RowOutput output;
  private int rows;
  private int width;
  private Object elements;

  public OutputRows(RowOutput output) {
    this.output = output;
  }

  /** Returns the type of the column. */
  public static DataType type(RowOutput output) {
    DataType element = element(output.dtype());
    return output.scalar() ? element : DataTypes.createArrayType(element, false);
  }

  private static DataType element(DType<?> dtype) {
    if (dtype == Ops.F64) {
      return DataTypes.DoubleType;
    }
    if (dtype.isFloat()) {
      return DataTypes.FloatType;
    }
    if (!dtype.isInteger()) {
      return DataTypes.BooleanType;
    }
    return dtype == Ops.I64 || dtype == Ops.U64 || dtype == Ops.U32
        ? DataTypes.LongType
        : DataTypes.IntegerType;
  }

  /** Copies a batch from the device. */
  public void copy(Tensor<?> batch, int wanted) {
    if (batch.shape().rank() == 0 || batch.shape().at(0) != wanted) {
      throw new ShapeException(
          "[predict] the first axis of an output must be that of the rows; got '%s' %s for %s rows; name another output."
              .formatted(output.name(), batch.shape(), wanted));
    }
    rows = wanted;
    DataType element = element(output.dtype());
    if (element == DataTypes.DoubleType) {
      elements = batch.toDoubleArray();
    } else if (element == DataTypes.FloatType) {
      elements = as(batch, Ops.F32).toFloatArray();
    } else if (element == DataTypes.BooleanType) {
      elements = batch.toBooleanArray();
    } else if (element == DataTypes.LongType) {
      elements = as(batch, Ops.I64).toLongArray();
    } else {
      elements = batch.toIntArray();
    }
    width = java.lang.reflect.Array.getLength(elements) / Math.max(1, rows);
  }

  private static <T> Tensor<T> as(Tensor<?> batch, DType<T> dtype) {
    return batch.dtype() == dtype ? batch.as(dtype) : batch.context().eval(batch.cast(dtype));
  }

  /** Returns the value of a row. */
  public Object value(int row) {
    int at = row * width;
    if (output.scalar()) {
      return java.lang.reflect.Array.get(elements, at);
    }
    return switch (elements) {
      case float[] a -> UnsafeArrayData.fromPrimitiveArray(Arrays.copyOfRange(a, at, at + width));
      case double[] a -> UnsafeArrayData.fromPrimitiveArray(Arrays.copyOfRange(a, at, at + width));
      case long[] a -> UnsafeArrayData.fromPrimitiveArray(Arrays.copyOfRange(a, at, at + width));
      case int[] a -> UnsafeArrayData.fromPrimitiveArray(Arrays.copyOfRange(a, at, at + width));
      case boolean[] a -> UnsafeArrayData.fromPrimitiveArray(Arrays.copyOfRange(a, at, at + width));
      default -> throw new IllegalStateException(elements.getClass().getName());
    };
  }

  /** Appends the value of a row to a column. */
  public void append(int row, WritableColumnVector column) {
    int at = row * width;
    WritableColumnVector to = column;
    if (!output.scalar()) {
      column.appendArray(width);
      to = column.arrayData();
    }
    int n = output.scalar() ? 1 : width;
    switch (elements) {
      case float[] a -> to.appendFloats(n, a, at);
      case double[] a -> to.appendDoubles(n, a, at);
      case long[] a -> to.appendLongs(n, a, at);
      case int[] a -> to.appendInts(n, a, at);
      case boolean[] a -> {
        for (int k = at; k < at + n; k++) {
          to.appendBoolean(a[k]);
        }
      }
      default -> throw new IllegalStateException(elements.getClass().getName());
    }
  }
}
