package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.B2F;
import static ristretto.kernels.cpu.block.BlockLanes.BYTE;
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
  void multiply(long blocks, long step, int rows, long x, int k, long to) {
    for (int r = 0; r < rows; r++) {
      row(blocks + r * step, x, k, to + 4L * LANES * r);
    }
  }

  private static void row(long row, long x, int k, long to) {
    // Written out: C2 does not inline methods of ours whose profile it finds too thin.
    FloatVector sum = FloatVector.zero(FLOAT);
    FloatVector d =
        FloatVector.broadcast(FLOAT, ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, row & ADDRESS));
    int j = 0;
    for (; j + LANES <= k; j += LANES) {
      FloatVector codes =
          (FloatVector)
              ByteVector.fromMemorySegment(BYTE, ALL, row + 4 + j & ADDRESS, ORDER)
                  .convertShape(B2F, FLOAT, 0);
      sum =
          codes
              .mul(d)
              .fma(FloatVector.fromMemorySegment(FLOAT, ALL, x + 4L * j & ADDRESS, ORDER), sum);
    }
    if (j < k) {
      var rest = FLOAT.indexInRange(j, k);
      var bytes =
          ByteVector.fromMemorySegment(BYTE, ALL, row + 4 + j, ORDER, BYTE.indexInRange(j, k));
      var values = (FloatVector) bytes.convertShape(B2F, FLOAT, 0);
      var more = FloatVector.fromMemorySegment(FLOAT, ALL, x + 4L * j, ORDER, rest);
      sum = sum.blend(values.mul(d).fma(more, sum), rest);
    }
    sum.intoMemorySegment(ALL, to & ADDRESS, ORDER);
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
