package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.B2F;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
import static ristretto.kernels.cpu.block.BlockLanes.FLOAT;
import static ristretto.kernels.cpu.block.BlockLanes.SHORT;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/** Q8_0: blocks of 32 bytes, with a scale of 16 bits before them. */
final class EightBitCode extends VectorBlockCode {
  @Override
  void multiply(long blocks, long step, int rows, long x, int k, long to) {
    for (int r = 0; r < rows; r++) {
      row(blocks + r * step, x, k, to + 4L * LANES * r);
    }
  }

  private static void row(long row, long x, int k, long to) {
    // Written out: C2 does not inline methods of ours whose profile it finds too thin.
    FloatVector even = FloatVector.zero(FLOAT);
    FloatVector odd = FloatVector.zero(FLOAT);
    int blocks = k / 32;
    for (int b = 0; b < blocks; b++, row += 34, x += 128) {
      FloatVector sum = FloatVector.zero(FLOAT);
      for (int j = 0; j < 32; j += LANES) {
        FloatVector codes =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTE, ALL, row + 2 + j & ADDRESS, ORDER)
                    .convertShape(B2F, FLOAT, 0);
        sum =
            codes.fma(FloatVector.fromMemorySegment(FLOAT, ALL, x + 4L * j & ADDRESS, ORDER), sum);
      }
      FloatVector next =
          sum.fma(
              FloatVector.broadcast(FLOAT, Float.float16ToFloat(ALL.get(SHORT, row & ADDRESS))),
              even);
      even = odd;
      odd = next;
    }
    even.add(odd).intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 32 * 34;
    int all = (int) (count / 32);
    for (int b = 0; b < all; b++, row += 34, to += 128) {
      FloatVector d =
          FloatVector.broadcast(FLOAT, Float.float16ToFloat(ALL.get(SHORT, row & ADDRESS)));
      for (int j = 0; j < 32; j += LANES) {
        FloatVector codes =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTE, ALL, row + 2 + j & ADDRESS, ORDER)
                    .convertShape(B2F, FLOAT, 0);
        codes.mul(d).intoMemorySegment(ALL, to + 4L * j & ADDRESS, ORDER);
      }
    }
  }
}
