package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.B2F;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
import static ristretto.kernels.cpu.block.BlockLanes.CODE;
import static ristretto.kernels.cpu.block.BlockLanes.FLOAT;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/** Q8_0: blocks of 32 bytes, with a scale of 16 bits before them. */
final class EightBitCode extends VectorBlockCode {
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
    long ahead = Math.max(0, Math.min(AHEAD, last - row - k / 32 * 34L));
    FloatVector even = FloatVector.zero(FLOAT);
    FloatVector odd = FloatVector.zero(FLOAT);
    int blocks = k / 32;
    long first = row & ADDRESS;
    long left = x & ADDRESS;
    for (int b = 0; b < blocks; b++) {
      long at = first + 34L * b;
      long from = left + 128L * b;
      read += ALL.get(CODE, at + ahead);
      FloatVector sum =
          ((FloatVector)
                  ByteVector.fromMemorySegment(BYTE, ALL, at + 2, ORDER)
                      .convertShape(B2F, FLOAT, 0))
              .mul(FloatVector.fromMemorySegment(FLOAT, ALL, from, ORDER));
      for (int j = LANES; j < 32; j += LANES) {
        FloatVector codes =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTE, ALL, at + 2 + j, ORDER)
                    .convertShape(B2F, FLOAT, 0);
        sum = codes.fma(FloatVector.fromMemorySegment(FLOAT, ALL, from + 4L * j, ORDER), sum);
      }
      int half = ALL.get(CODE, at) & 255 | ALL.get(CODE, at + 1) << 8;
      FloatVector next =
          sum.fma(FloatVector.broadcast(FLOAT, Float.float16ToFloat((short) half)), even);
      even = odd;
      odd = next;
    }
    even.add(odd).intoMemorySegment(ALL, to & ADDRESS, ORDER);
    return read;
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 32 * 34;
    int all = (int) (count / 32);
    for (int b = 0; b < all; b++, row += 34, to += 128) {
      long at = row & ADDRESS;
      int half = ALL.get(CODE, at) & 255 | ALL.get(CODE, at + 1) << 8;
      FloatVector d = FloatVector.broadcast(FLOAT, Float.float16ToFloat((short) half));
      for (int j = 0; j < 32; j += LANES) {
        FloatVector codes =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTE, ALL, at + 2 + j, ORDER)
                    .convertShape(B2F, FLOAT, 0);
        codes.mul(d).intoMemorySegment(ALL, to + 4L * j & ADDRESS, ORDER);
      }
    }
  }
}
