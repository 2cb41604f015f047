package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
import static ristretto.kernels.cpu.block.BlockLanes.FLOAT;
import static ristretto.kernels.cpu.block.BlockLanes.INT;
import static ristretto.kernels.cpu.block.BlockLanes.SHORT;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Q4_K: blocks of 256 numbers of four bits, in eight parts with scales and minima of six bits each.
 */
final class FourBitKCode extends VectorBlockCode {
  private static final int BYTES = 144;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED;

  @Override
  void multiply(long blocks, long step, int rows, long x, int k, long to) {
    for (int r = 0; r < rows; r++) {
      row(blocks + r * step, x, k, to + 4L * LANES * r);
    }
  }

  private static void row(long row, long x, int k, long to) {
    // Written out: C2 does not inline methods of ours whose profile it finds too thin.
    FloatVector sum = FloatVector.zero(FLOAT);
    int parts = k / 32;
    for (int p = 0; p < parts; p++, x += 128) {
      long block = row + (long) BYTES * (p >> 3);
      float s = scale(block, p);
      float m = minimum(block, p);
      long codes = block + 16 + 32L * (p >> 1 & 3);
      for (int j = 0; j < 32; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, codes + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector code = (FloatVector) two.lanewise(LSHR, 4 * (p & 1)).and(15).convert(I2F, 0);
        sum =
            code.mul(s)
                .sub(m)
                .fma(FloatVector.fromMemorySegment(FLOAT, ALL, x + 4L * j & ADDRESS, ORDER), sum);
      }
    }
    sum.intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }

  /** Scale of a part. Scalars may be computed by methods of ours: a call makes no objects. */
  private static float scale(long block, int part) {
    return Float.float16ToFloat(ALL.get(SHORT, block & ADDRESS)) * six(block, part, 0);
  }

  private static float minimum(long block, int part) {
    return Float.float16ToFloat(ALL.get(SHORT, block + 2 & ADDRESS)) * six(block, part, 32);
  }

  /**
   * Six bits of a part.
   *
   * @param from first bit of the scales or of the minima
   */
  private static int six(long block, int part, int from) {
    long bits = ALL.get(LONG, block + 4 & ADDRESS);
    int at = 8 * (part & 3) + from;
    if ((part & 4) == 0) {
      return (int) (bits >> at) & 63;
    }
    int low = ALL.get(WORD, block + 12 & ADDRESS) >> 8 * (part & 3) + from / 8 & 15;
    return low | (int) (bits >> at + 6 & 3) << 4;
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 256 * BYTES;
    int parts = (int) (count / 32);
    for (int p = 0; p < parts; p++, to += 128) {
      long block = row + (long) BYTES * (p >> 3);
      float s = scale(block, p);
      float m = minimum(block, p);
      long codes = block + 16 + 32L * (p >> 1 & 3);
      for (int j = 0; j < 32; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, codes + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector code = (FloatVector) two.lanewise(LSHR, 4 * (p & 1)).and(15).convert(I2F, 0);
        code.mul(s).sub(m).intoMemorySegment(ALL, to + 4L * j & ADDRESS, ORDER);
      }
    }
  }
}
