package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import ristretto.kernels.cpu.memory.RawMemory;

/** Q6_K: blocks of 256 numbers of six bits, in sixteen parts with scales of eight bits. */
final class SixBitKCode extends VectorBlockCode {
  private static final int BYTES = 210;

  @Override
  void multiply(long row, long x, int k, long to) {
    FloatVector sum = Lanes.zero();
    for (int at = 0; at < k; at += LANES, x += 4L * LANES) {
      sum = values(row + (long) BYTES * (at >> 8), at & 255).fma(Lanes.load(x), sum);
    }
    Lanes.store(sum, to);
  }

  /** Values of a block from an element on. */
  private static FloatVector values(long block, int at) {
    int quarter = at >> 5 & 3;
    long low = block + 64L * (at >> 7) + 32L * (quarter & 1) + (at & 31);
    long high = block + 128 + 32L * (at >> 7) + (at & 31);
    IntVector bits = Lanes.codes(high).lanewise(LSHR, 2 * quarter).and(3).lanewise(LSHL, 4);
    IntVector code = Lanes.codes(low).lanewise(LSHR, 4 * (quarter >> 1)).and(15).or(bits);
    float scale = Lanes.half(block + 208) * RawMemory.getByte(block + 192 + (at >> 4) & ADDRESS);
    return Lanes.floats(code.sub(32)).mul(scale);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 256 * BYTES;
    int all = (int) count;
    for (int at = 0; at < all; at += LANES, to += 4L * LANES) {
      Lanes.store(values(row + (long) BYTES * (at >> 8), at & 255), to);
    }
  }
}
