package ristretto.expr.print;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import ristretto.kernels.scalar.ScalarType;

/**
 * Source of elements for the printer. Elements are numbered in row-major order for any layout in
 * memory. The printer reads only the printed elements of a summarized tensor, so that an
 * implementation may fetch lazily.
 */
public interface ElementReader {

  /** Element as a double, exactly. Called for floating types only. */
  double floating(long element);

  /** Element as a long; 0 or 1 for BOOL, the bits of a U64. Called for integers and BOOL only. */
  long integer(long element);

  /** Reader of C-ordered, little-endian memory of any alignment. */
  static ElementReader of(ScalarType type, MemorySegment data) {
    return new ElementReader() {
      @Override
      public double floating(long element) {
        return switch (type) {
          case F16 -> Float.float16ToFloat(data.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * element));
          case BF16 ->
              Float.intBitsToFloat(
                  data.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * element) << Short.SIZE);
          case F32 -> data.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * element);
          case F64 -> data.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8 * element);
          case BOOL, I8, U8, I16, U16, I32, U32, I64, U64 -> integer(element);
        };
      }

      @Override
      public long integer(long element) {
        return switch (type) {
          case BOOL, U8 -> data.get(ValueLayout.JAVA_BYTE, element) & 0xff;
          case I8 -> data.get(ValueLayout.JAVA_BYTE, element);
          case I16 -> data.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * element);
          case U16 -> data.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * element) & 0xffff;
          case U32 -> data.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * element) & 0xffffffffL;
          case I32 -> data.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * element);
          case I64, U64 -> data.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * element);
          case F16, BF16, F32, F64 -> (long) floating(element);
        };
      }
    };
  }
}
