package ristretto.spark.rows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.vectorized.ColumnVector;
import ristretto.expr.type.DType;
import ristretto.kernels.scalar.ScalarType;

/** Elements of an input in host memory. */
final class Elements {
  private final DType<?> dtype;
  private final MemorySegment memory;

  /** Creates zeros. */
  Elements(DType<?> dtype, long count) {
    this.dtype = dtype;
    this.memory = Arena.ofAuto().allocate(Math.multiplyExact(count, dtype.bytes()), 8);
  }

  MemorySegment memory() {
    return memory;
  }

  /** Returns true if elements of a dtype can be set. */
  static boolean hold(DType<?> dtype) {
    return dtype.scalar() != ScalarType.BF16;
  }

  /** Sets elements to zero. */
  void clear(long at, long n) {
    memory.asSlice(at * dtype.bytes(), n * dtype.bytes()).fill((byte) 0);
  }

  /** Sets an element to a number, converted as Spark casts it. */
  void put(long at, NumberType type, SpecializedGetters from, int ordinal) {
    switch (dtype.scalar()) {
      case F32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, at, (float) type.real(from, ordinal));
      case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, at, type.real(from, ordinal));
      case F16 ->
          memory.setAtIndex(
              ValueLayout.JAVA_SHORT, at, Float.floatToFloat16((float) type.real(from, ordinal)));
      default -> putWhole(at, type.whole(from, ordinal));
    }
  }

  /** Sets every {@code stride}-th element from one on to the numbers of a column of floats. */
  void putColumn(ColumnVector column, int from, int count, int at, int stride) {
    for (int k = 0; k < count; k++) {
      memory.setAtIndex(ValueLayout.JAVA_FLOAT, at + (long) k * stride, column.getFloat(from + k));
    }
  }

  private void putWhole(long at, long value) {
    boolean fits = dtype.isInteger() ? dtype.holds(value) : value == 0 || value == 1;
    if (!fits) {
      throw new BadRowException(
          "numbers must be in the range of %s; got %s".formatted(dtype, Long.toString(value)));
    }
    switch (dtype.bytes()) {
      case 1 -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
      case 2 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, at, (short) value);
      case 4 -> memory.setAtIndex(ValueLayout.JAVA_INT, at, (int) value);
      default -> memory.setAtIndex(ValueLayout.JAVA_LONG, at, value);
    }
  }
}
