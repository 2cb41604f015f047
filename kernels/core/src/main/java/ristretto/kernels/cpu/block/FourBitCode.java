package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
import static ristretto.kernels.cpu.block.BlockLanes.CODE;
import static ristretto.kernels.cpu.block.BlockLanes.FLOAT;
import static ristretto.kernels.cpu.block.BlockLanes.INT;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Q4_0: blocks of 32 numbers of four bits, in 16 bytes, with a scale of 16 bits before them. */
final class FourBitCode extends VectorBlockCode {
  /** Bits of 2^23, whose last bit has the value 1; with a code in the last four, 2^23 + code. */
  static final int LOW = 0x4B000000;

  private static final float LOW_ZERO = 0x1p23f + 8;

  /** Bits of 2^19; with a code in bits 4 to 7, 2^19 + code. */
  static final int HIGH = 0x49000000;

  private static final float HIGH_ZERO = 0x1p19f + 8;

  @Override
  int multiply(long blocks, long step, int rows, long x, int k, long to, long last) {
    int read = 0;
    for (int r = 0; r < rows; r++) {
      read += row(blocks + r * step, x, k, to + 4L * LANES * r, last);
    }
    return read;
  }

  private static int row(long row, long x, int k, long to, long last) {
    // Written out: C2 does not inline methods of ours whose profile it finds too thin.
    int read = 0;
    long ahead = Math.max(0, Math.min(AHEAD, last - row - k / 32 * 18L));
    FloatVector all = FloatVector.zero(FLOAT);
    int blocks = k / 32;
    long first = row & ADDRESS;
    long left = x & ADDRESS;
    for (int b = 0; b < blocks; b++) {
      long at = first + 18L * b;
      long from = left + 128L * b;
      read += ALL.get(CODE, at + ahead);
      FloatVector sum = FloatVector.zero(FLOAT);
      for (int j = 0; j < 16; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, at + 2 + j, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector low = two.and(15).or(LOW).reinterpretAsFloats().sub(LOW_ZERO);
        FloatVector high = two.and(240).or(HIGH).reinterpretAsFloats().sub(HIGH_ZERO);
        sum = low.fma(FloatVector.fromMemorySegment(FLOAT, ALL, from + 4L * j, ORDER), sum);
        sum = high.fma(FloatVector.fromMemorySegment(FLOAT, ALL, from + 64 + 4L * j, ORDER), sum);
      }
      int half = ALL.get(CODE, at) & 255 | ALL.get(CODE, at + 1) << 8;
      all = sum.fma(FloatVector.broadcast(FLOAT, Float.float16ToFloat((short) half)), all);
    }
    all.intoMemorySegment(ALL, to & ADDRESS, ORDER);
    return read;
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 32 * 18;
    int all = (int) (count / 32);
    for (int b = 0; b < all; b++, row += 18, to += 128) {
      long at = row & ADDRESS;
      int half = ALL.get(CODE, at) & 255 | ALL.get(CODE, at + 1) << 8;
      FloatVector d = FloatVector.broadcast(FLOAT, Float.float16ToFloat((short) half));
      for (int j = 0; j < 16; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, at + 2 + j, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector low = two.and(15).or(LOW).reinterpretAsFloats().sub(LOW_ZERO);
        FloatVector high = two.and(240).or(HIGH).reinterpretAsFloats().sub(HIGH_ZERO);
        low.mul(d).intoMemorySegment(ALL, to + 4L * j & ADDRESS, ORDER);
        high.mul(d).intoMemorySegment(ALL, to + 64 + 4L * j & ADDRESS, ORDER);
      }
    }
  }
}
