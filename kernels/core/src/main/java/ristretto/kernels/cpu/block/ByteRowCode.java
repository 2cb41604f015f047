package ristretto.kernels.cpu.block;

import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cpu.memory.RawMemory;

/** I8: rows of bytes, with a scale of 32 bits before them. */
final class ByteRowCode extends VectorBlockCode {
  private final ScalarBlockCode scalar = new ScalarBlockCode(BlockFormat.I8);

  @Override
  void multiply(long row, long x, int k, long to) {
    FloatVector sum = Lanes.zero();
    FloatVector d = Lanes.all(RawMemory.getFloat(row));
    int j = 0;
    for (; j + LANES <= k; j += LANES) {
      sum = Lanes.bytes(row + 4 + j).mul(d).fma(Lanes.load(x + 4L * j), sum);
    }
    if (j < k) {
      var rest = Lanes.FLOAT.indexInRange(j, k);
      var some = Lanes.BYTE.indexInRange(j, k);
      var codes = ByteVector.fromMemorySegment(Lanes.BYTE, ALL, row + 4 + j, ORDER, some);
      var values = (FloatVector) codes.convertShape(VectorOperators.B2F, Lanes.FLOAT, 0);
      var more = FloatVector.fromMemorySegment(Lanes.FLOAT, ALL, x + 4L * j, ORDER, rest);
      sum = sum.blend(values.mul(d).fma(more, sum), rest);
    }
    Lanes.store(sum, to);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    FloatVector d = Lanes.all(RawMemory.getFloat(blocks));
    int whole = (int) (count / LANES * LANES);
    for (int j = 0; j < whole; j += LANES) {
      Lanes.store(Lanes.bytes(blocks + 4 + from + j).mul(d), to + 4L * j);
    }
    if (whole < count) {
      scalar.decode(blocks, from + whole, count - whole, to + 4L * whole);
    }
  }
}
