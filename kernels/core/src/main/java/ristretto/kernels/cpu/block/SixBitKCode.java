package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
import static ristretto.kernels.cpu.block.BlockLanes.CODE;
import static ristretto.kernels.cpu.block.BlockLanes.FLOAT;
import static ristretto.kernels.cpu.block.BlockLanes.INT;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.block.FourBitCode.LOW;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Q6_K: blocks of 256 numbers of six bits, in sixteen parts with scales of eight bits. */
final class SixBitKCode extends VectorBlockCode {
  private static final int BYTES = 210;

  @Override
  int multiply(long blocks, long step, int rows, long x, int k, long to, long last) {
    for (int r = 0; r < rows; r++) {
      row(blocks + r * step, x, k, to + 4L * LANES * r);
    }
    return 0;
  }

  private static void row(long row, long x, int k, long to) {
    // Written out: C2 does not inline methods of ours whose profile it finds too thin.
    FloatVector sum = FloatVector.zero(FLOAT);
    int parts = k / 32;
    for (int p = 0; p < parts; p++, x += 128) {
      long block = row + (long) BYTES * (p >> 3) & ADDRESS;
      long from = x & ADDRESS;
      int quarter = p & 3;
      int half = p >> 2 & 1;
      long low = block + 64L * half + 32L * (quarter & 1);
      long high = block + 128 + 32L * half;
      int scale = ALL.get(CODE, block + 208) & 255 | ALL.get(CODE, block + 209) << 8;
      float d = Float.float16ToFloat((short) scale);
      for (int j = 0; j < 32; j += LANES) {
        float s = d * ALL.get(CODE, block + 192 + 2L * (p & 7) + (j >> 4));
        IntVector upper =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, high + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        IntVector lower =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, low + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        IntVector bits = upper.lanewise(LSHR, 2 * quarter).and(3).lanewise(LSHL, 4);
        IntVector code = lower.lanewise(LSHR, 4 * (quarter >> 1)).and(15).or(bits).or(LOW);
        FloatVector value = code.reinterpretAsFloats().sub(0x1p23f + 32).mul(s);
        sum = value.fma(FloatVector.fromMemorySegment(FLOAT, ALL, from + 4L * j, ORDER), sum);
      }
    }
    sum.intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 256 * BYTES;
    int all = (int) count;
    for (int e = 0; e < all; e += LANES, to += 4L * LANES) {
      long block = row + (long) BYTES * (e >> 8) & ADDRESS;
      int at = e & 255;
      int quarter = at >> 5 & 3;
      long low = block + 64L * (at >> 7) + 32L * (quarter & 1) + (at & 31);
      long high = block + 128 + 32L * (at >> 7) + (at & 31);
      int half = ALL.get(CODE, block + 208) & 255 | ALL.get(CODE, block + 209) << 8;
      float d = Float.float16ToFloat((short) half);
      float s = d * ALL.get(CODE, block + 192 + (at >> 4));
      IntVector upper =
          (IntVector)
              ByteVector.fromMemorySegment(BYTE, ALL, high & ADDRESS, ORDER)
                  .convertShape(ZERO_EXTEND_B2I, INT, 0);
      IntVector lower =
          (IntVector)
              ByteVector.fromMemorySegment(BYTE, ALL, low & ADDRESS, ORDER)
                  .convertShape(ZERO_EXTEND_B2I, INT, 0);
      IntVector bits = upper.lanewise(LSHR, 2 * quarter).and(3).lanewise(LSHL, 4);
      IntVector code = lower.lanewise(LSHR, 4 * (quarter >> 1)).and(15).or(bits).sub(32);
      FloatVector value = ((FloatVector) code.convert(I2F, 0)).mul(s);
      value.intoMemorySegment(ALL, to & ADDRESS, ORDER);
    }
  }
}
