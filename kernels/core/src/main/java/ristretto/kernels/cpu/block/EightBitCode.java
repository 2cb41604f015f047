package ristretto.kernels.cpu.block;

import static ristretto.kernels.cpu.block.BlockLaunch.LANES;

import jdk.incubator.vector.FloatVector;

/** Q8_0: blocks of 32 bytes, with a scale of 16 bits before them. */
final class EightBitCode extends VectorBlockCode {
  @Override
  void multiply(long row, long x, int k, long to) {
    FloatVector even = Lanes.zero();
    FloatVector odd = Lanes.zero();
    int pairs = k / 64;
    for (int p = 0; p < pairs; p++, row += 68, x += 256) {
      even = block(row, x).fma(Lanes.all(Lanes.half(row)), even);
      odd = block(row + 34, x + 128).fma(Lanes.all(Lanes.half(row + 34)), odd);
    }
    if (k % 64 != 0) {
      even = block(row, x).fma(Lanes.all(Lanes.half(row)), even);
    }
    Lanes.store(even.add(odd), to);
  }

  private static FloatVector block(long row, long x) {
    FloatVector sum = Lanes.bytes(row + 2).mul(Lanes.load(x));
    for (int j = LANES; j < 32; j += LANES) {
      sum = Lanes.bytes(row + 2 + j).fma(Lanes.load(x + 4L * j), sum);
    }
    return sum;
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 32 * 34;
    int all = (int) (count / 32);
    for (int b = 0; b < all; b++, row += 34, to += 128) {
      FloatVector d = Lanes.all(Lanes.half(row));
      for (int j = 0; j < 32; j += LANES) {
        Lanes.store(Lanes.bytes(row + 2 + j).mul(d), to + 4L * j);
      }
    }
  }
}
