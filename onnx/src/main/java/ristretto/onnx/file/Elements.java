package ristretto.onnx.file;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Conversion of elements as a file has them to those of the type's dtype. */
final class Elements {
  private Elements() {}

  /**
   * Converts packed little-endian elements.
   *
   * @param count number of elements, which the packed bytes hold
   */
  static MemorySegment unpack(ElementType type, ByteBuffer packed, int count) {
    ByteBuffer in = packed.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int bytes = type.dtype().bytes();
    if (type.bits() == 8 * bytes && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
      byte[] copy = new byte[count * bytes];
      in.get(copy);
      if (type == ElementType.BOOL) {
        for (int k = 0; k < copy.length; k++) {
          copy[k] = (byte) (copy[k] == 0 ? 0 : 1);
        }
      }
      return MemorySegment.ofArray(copy);
    }
    ByteBuffer out = ByteBuffer.allocate(count * bytes).order(ByteOrder.nativeOrder());
    for (int k = 0; k < count; k++) {
      long bits = bits(type.bits(), in, k);
      if (!type.isUnsigned() && type.integerBits() > 0) {
        int shift = Long.SIZE - type.bits();
        bits = bits << shift >> shift;
      }
      switch (bytes) {
        case 1 -> out.put((byte) (type == ElementType.BOOL && bits != 0 ? 1 : bits));
        case 2 -> out.putShort((short) bits);
        case 4 -> out.putInt((int) bits);
        default -> out.putLong(bits);
      }
    }
    return MemorySegment.ofArray(out.array());
  }

  private static long bits(int bits, ByteBuffer in, int k) {
    return switch (bits) {
      case 8 -> in.get(k) & 0xFFL;
      case 16 -> in.getShort(2 * k) & 0xFFFFL;
      case 32 -> in.getInt(4 * k) & 0xFFFF_FFFFL;
      case 64 -> in.getLong(8 * k);
      default -> {
        int each = 8 / bits;
        yield in.get(k / each) >>> k % each * bits & (1L << bits) - 1;
      }
    };
  }
}
