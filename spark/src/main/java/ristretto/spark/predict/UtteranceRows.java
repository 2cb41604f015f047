package ristretto.spark.predict;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import ristretto.nnet3.decode.Ivectors;
import ristretto.nnet3.decode.Utterance;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.spark.rows.BadRowException;
import ristretto.spark.slot.Slot;

/** Computes the outputs of utterances, one in each row. */
final class UtteranceRows extends RowComputer {
  private final UtteranceComputer computer;
  private final Slot slot;
  private final int dim;
  private final int ivectorDim;
  private final Utterance[] utterances;
  private final Matrix[] outputs;

  UtteranceRows(
      Nnet nnet,
      UtteranceComputer computer,
      Slot slot,
      RowSettings settings,
      LongConsumer badRows) {
    super(settings, badRows);
    this.computer = computer;
    this.slot = slot;
    this.dim = nnet.inputDim("input");
    this.ivectorDim = Math.max(0, nnet.inputDim("ivector"));
    this.utterances = new Utterance[most()];
    this.outputs = new Matrix[most()];
  }

  @Override
  void copy(InternalRow row, int to) {
    int column = settings.columns()[0];
    requireValue(row, column);
    ArrayData frames = row.getArray(column);
    if (frames.numElements() == 0) {
      throw new BadRowException("an utterance must have frames; got none");
    }
    var features = new Matrix(frames.numElements(), dim);
    for (int t = 0; t < frames.numElements(); t++) {
      copy(frames.getArray(t), "a frame", dim, features.data(), t * dim);
    }
    Ivectors ivectors = new Ivectors.None();
    if (ivectorDim > 0) {
      int second = settings.columns()[1];
      requireValue(row, second);
      var vector = new float[ivectorDim];
      copy(row.getArray(second), "an i-vector", ivectorDim, vector, 0);
      ivectors = new Ivectors.Fixed(vector);
    }
    utterances[to] = new Utterance(Integer.toString(to), features, ivectors);
  }

  private void requireValue(InternalRow row, int column) {
    if (row.isNullAt(column)) {
      throw new BadRowException(
          "column '" + settings.rows().fields()[column].name() + "' must not be null");
    }
  }

  private static void copy(ArrayData from, String what, int wanted, float[] to, int at) {
    if (from.numElements() != wanted) {
      throw new BadRowException(
          "%s must have %s numbers; got %s"
              .formatted(what, Integer.toString(wanted), Integer.toString(from.numElements())));
    }
    System.arraycopy(from.toFloatArray(), 0, to, at, wanted);
  }

  @Override
  void clear(int row) {
    utterances[row] = null;
  }

  @Override
  boolean copy(ColumnarBatch batch, int from, int count) {
    return false;
  }

  @Override
  void run() {
    List<Integer> numbers = new ArrayList<>();
    slot.run(_ -> {
      for (int k = 0; k < rows; k++) {
        if (utterances[k] != null) {
          computer.accept(utterances[k]);
          numbers.add(k);
        }
      }
      computer.finish();
      for (int number : numbers) {
        outputs[number] = computer.poll().output();
      }
      return null;
    });
  }

  @Override
  Object value(int output, int row) {
    Matrix matrix = outputs[row];
    var frames = new Object[matrix.rows()];
    for (int t = 0; t < frames.length; t++) {
      int at = t * matrix.cols();
      frames[t] =
          UnsafeArrayData.fromPrimitiveArray(
              Arrays.copyOfRange(matrix.data(), at, at + matrix.cols()));
    }
    return new GenericArrayData(frames);
  }

  @Override
  void append(int output, int row, WritableColumnVector column) {
    Matrix matrix = outputs[row];
    column.appendArray(matrix.rows());
    WritableColumnVector frames = column.arrayData();
    for (int t = 0; t < matrix.rows(); t++) {
      frames.appendArray(matrix.cols());
      frames.arrayData().appendFloats(matrix.cols(), matrix.data(), t * matrix.cols());
    }
  }
}
