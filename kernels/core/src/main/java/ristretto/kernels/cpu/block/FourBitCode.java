package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.LSHR;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Q4_0: blocks of 32 numbers of four bits, in 16 bytes, with a scale of 16 bits before them. */
final class FourBitCode extends VectorBlockCode {
  @Override
  void multiply(long row, long x, int k, long to) {
    FloatVector sum = Lanes.zero();
    int all = k / 32;
    for (int b = 0; b < all; b++, row += 18, x += 128) {
      sum = block(row, x).fma(Lanes.all(Lanes.half(row)), sum);
    }
    Lanes.store(sum, to);
  }

  private static FloatVector block(long row, long x) {
    IntVector two = Lanes.codes(row + 2);
    if (LANES == 16) {
      return high(two).fma(Lanes.load(x + 64), low(two).mul(Lanes.load(x)));
    }
    IntVector more = Lanes.codes(row + 10);
    FloatVector sum = low(more).fma(Lanes.load(x + 32), low(two).mul(Lanes.load(x)));
    return high(more).fma(Lanes.load(x + 96), high(two).fma(Lanes.load(x + 64), sum));
  }

  private static FloatVector low(IntVector two) {
    return Lanes.floats(two.and(15).sub(8));
  }

  private static FloatVector high(IntVector two) {
    return Lanes.floats(two.lanewise(LSHR, 4).sub(8));
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 32 * 18;
    int all = (int) (count / 32);
    for (int b = 0; b < all; b++, row += 18, to += 128) {
      FloatVector d = Lanes.all(Lanes.half(row));
      for (int j = 0; j < 16; j += LANES) {
        IntVector two = Lanes.codes(row + 2 + j);
        Lanes.store(low(two).mul(d), to + 4L * j);
        Lanes.store(high(two).mul(d), to + 64 + 4L * j);
      }
    }
  }
}
