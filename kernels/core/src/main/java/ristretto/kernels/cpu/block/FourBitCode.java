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

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Q4_0: blocks of 32 numbers of four bits, in 16 bytes, with a scale of 16 bits before them. */
final class FourBitCode extends VectorBlockCode {
  @Override
  void multiply(long blocks, long step, int rows, long x, int k, long to) {
    for (int r = 0; r < rows; r++) {
      row(blocks + r * step, x, k, to + 4L * LANES * r);
    }
  }

  private static void row(long row, long x, int k, long to) {
    // Written out: C2 does not inline methods of ours whose profile it finds too thin.
    FloatVector all = FloatVector.zero(FLOAT);
    int blocks = k / 32;
    for (int b = 0; b < blocks; b++, row += 18, x += 128) {
      FloatVector sum = FloatVector.zero(FLOAT);
      for (int j = 0; j < 16; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, row + 2 + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector low = (FloatVector) two.and(15).sub(8).convert(I2F, 0);
        FloatVector high = (FloatVector) two.lanewise(LSHR, 4).sub(8).convert(I2F, 0);
        sum = low.fma(FloatVector.fromMemorySegment(FLOAT, ALL, x + 4L * j & ADDRESS, ORDER), sum);
        sum =
            high.fma(
                FloatVector.fromMemorySegment(FLOAT, ALL, x + 64 + 4L * j & ADDRESS, ORDER), sum);
      }
      all =
          sum.fma(
              FloatVector.broadcast(FLOAT, Float.float16ToFloat(ALL.get(SHORT, row & ADDRESS))),
              all);
    }
    all.intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 32 * 18;
    int all = (int) (count / 32);
    for (int b = 0; b < all; b++, row += 18, to += 128) {
      FloatVector d =
          FloatVector.broadcast(FLOAT, Float.float16ToFloat(ALL.get(SHORT, row & ADDRESS)));
      for (int j = 0; j < 16; j += LANES) {
        IntVector two =
            (IntVector)
                ByteVector.fromMemorySegment(BYTE, ALL, row + 2 + j & ADDRESS, ORDER)
                    .convertShape(ZERO_EXTEND_B2I, INT, 0);
        FloatVector low = (FloatVector) two.and(15).sub(8).convert(I2F, 0);
        FloatVector high = (FloatVector) two.lanewise(LSHR, 4).sub(8).convert(I2F, 0);
        low.mul(d).intoMemorySegment(ALL, to + 4L * j & ADDRESS, ORDER);
        high.mul(d).intoMemorySegment(ALL, to + 64 + 4L * j & ADDRESS, ORDER);
      }
    }
  }
}
