package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
import static ristretto.kernels.cpu.block.BlockLanes.CODE;
import static ristretto.kernels.cpu.block.BlockLanes.FLOAT;
import static ristretto.kernels.cpu.block.BlockLanes.INT;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.block.FourBitCode.HIGH;
import static ristretto.kernels.cpu.block.FourBitCode.LOW;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Q4_K: blocks of 256 numbers of four bits, in eight parts with scales and minima of six bits each.
 */
final class FourBitKCode extends VectorBlockCode {
  private static final int BYTES = 144;

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
    int pairs = k / 64;
    for (int p = 0; p < pairs; p++, x += 256) {
      long block = row + (long) BYTES * (p >> 2) & ADDRESS;
      long codes = block + 16 + 32L * (p & 3);
      long from = x & ADDRESS;
      float s = scale(block, 2 * p);
      float m = minimum(block, 2 * p);
      for (int j = 0; j < 32; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, codes + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector code = two.and(15).or(LOW).reinterpretAsFloats().sub(0x1p23f);
        sum =
            code.mul(s)
                .sub(m)
                .fma(FloatVector.fromMemorySegment(FLOAT, ALL, from + 4L * j, ORDER), sum);
      }
      s = scale(block, 2 * p + 1);
      m = minimum(block, 2 * p + 1);
      for (int j = 0; j < 32; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, codes + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector code = two.and(240).or(HIGH).reinterpretAsFloats().sub(0x1p19f);
        sum =
            code.mul(s)
                .sub(m)
                .fma(FloatVector.fromMemorySegment(FLOAT, ALL, from + 128 + 4L * j, ORDER), sum);
      }
    }
    sum.intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }

  /** Scale of a part. Scalars may be computed by methods of ours: a call makes no objects. */
  private static float scale(long block, int part) {
    int at = part & 7;
    int six =
        at < 4
            ? ALL.get(CODE, block + 4 + at) & 63
            : ALL.get(CODE, block + 8 + at) & 15 | (ALL.get(CODE, block + at) >> 6 & 3) << 4;
    return half(block) * six;
  }

  private static float minimum(long block, int part) {
    int at = part & 7;
    int six =
        at < 4
            ? ALL.get(CODE, block + 8 + at) & 63
            : ALL.get(CODE, block + 8 + at) >> 4 & 15
                | (ALL.get(CODE, block + 4 + at) >> 6 & 3) << 4;
    return half(block + 2) * six;
  }

  private static float half(long at) {
    return Float.float16ToFloat((short) (ALL.get(CODE, at) & 255 | ALL.get(CODE, at + 1) << 8));
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 256 * BYTES;
    int parts = (int) (count / 32);
    for (int p = 0; p < parts; p++, to += 128) {
      long block = row + (long) BYTES * (p >> 3) & ADDRESS;
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
