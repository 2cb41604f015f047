package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.B2F;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
import static ristretto.kernels.cpu.block.BlockLanes.CODE;
import static ristretto.kernels.cpu.block.BlockLanes.FLOAT;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import ristretto.kernels.block.BlockFormat;

/** I8: rows of bytes, with a scale of 32 bits before them. */
final class ByteRowCode extends VectorBlockCode {
  private final ScalarBlockCode scalar = new ScalarBlockCode(BlockFormat.I8);

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
    long ahead = Math.max(0, Math.min(AHEAD, last - row - k - 4));
    FloatVector even = FloatVector.zero(FLOAT);
    FloatVector odd = FloatVector.zero(FLOAT);
    int j = 0;
    for (; j + 2 * LANES <= k; j += 2 * LANES) {
      long at = row + 4 + j & ADDRESS;
      long from = x + 4L * j & ADDRESS;
      read += ALL.get(CODE, at + ahead);
      FloatVector codes =
          (FloatVector)
              ByteVector.fromMemorySegment(BYTE, ALL, at, ORDER).convertShape(B2F, FLOAT, 0);
      even = codes.fma(FloatVector.fromMemorySegment(FLOAT, ALL, from, ORDER), even);
      codes =
          (FloatVector)
              ByteVector.fromMemorySegment(BYTE, ALL, at + LANES, ORDER)
                  .convertShape(B2F, FLOAT, 0);
      odd = codes.fma(FloatVector.fromMemorySegment(FLOAT, ALL, from + 4L * LANES, ORDER), odd);
    }
    FloatVector sum = even.add(odd);
    for (; j < k; j += LANES) {
      var rest = FLOAT.indexInRange(j, k);
      var bytes =
          ByteVector.fromMemorySegment(BYTE, ALL, row + 4 + j, ORDER, BYTE.indexInRange(j, k));
      var values = (FloatVector) bytes.convertShape(B2F, FLOAT, 0);
      var more = FloatVector.fromMemorySegment(FLOAT, ALL, x + 4L * j, ORDER, rest);
      sum = sum.blend(values.fma(more, sum), rest);
    }
    float scale = ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, row & ADDRESS);
    sum.mul(scale).intoMemorySegment(ALL, to & ADDRESS, ORDER);
    return read;
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    FloatVector d =
        FloatVector.broadcast(FLOAT, ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, blocks & ADDRESS));
    int whole = (int) (count / LANES * LANES);
    for (int j = 0; j < whole; j += LANES) {
      FloatVector codes =
          (FloatVector)
              ByteVector.fromMemorySegment(BYTE, ALL, blocks + 4 + from + j & ADDRESS, ORDER)
                  .convertShape(B2F, FLOAT, 0);
      codes.mul(d).intoMemorySegment(ALL, to + 4L * j & ADDRESS, ORDER);
    }
    if (whole < count) {
      scalar.decode(blocks, from + whole, count - whole, to + 4L * whole);
    }
  }
}
