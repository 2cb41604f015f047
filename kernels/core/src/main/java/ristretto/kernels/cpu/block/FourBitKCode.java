package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.LSHR;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;

import jdk.incubator.vector.FloatVector;
import ristretto.kernels.cpu.memory.RawMemory;

/**
 * Q4_K: blocks of 256 numbers of four bits, in eight parts with scales and minima of six bits each.
 */
final class FourBitKCode extends VectorBlockCode {
  private static final int BYTES = 144;

  @Override
  void multiply(long row, long x, int k, long to) {
    FloatVector sum = Lanes.zero();
    int parts = k / 32;
    for (int p = 0; p < parts; p++, x += 128) {
      long block = row + (long) BYTES * (p >> 3);
      sum = add(codes(block, p), 4 * (p & 1), scale(block, p), minimum(block, p), x, sum);
    }
    Lanes.store(sum, to);
  }

  private static FloatVector add(long at, int shift, float s, float m, long x, FloatVector sum) {
    for (int j = 0; j < 32; j += LANES) {
      sum = values(at + j, shift, s, m).fma(Lanes.load(x + 4L * j), sum);
    }
    return sum;
  }

  private static FloatVector values(long at, int shift, float s, float m) {
    return Lanes.floats(Lanes.codes(at).lanewise(LSHR, shift).and(15)).mul(s).sub(m);
  }

  /** Address of the codes of a part, which shares its bytes with its neighbour. */
  private static long codes(long block, int part) {
    return block + 16 + 32L * (part >> 1 & 3);
  }

  private static float scale(long block, int part) {
    long low = RawMemory.getLong(block + 4 & ADDRESS);
    int high = RawMemory.getInt(block + 12 & ADDRESS);
    int at = 8 * (part & 3);
    int upper = (int) (low >> at + 6 & 3) << 4;
    int six = (part & 4) == 0 ? (int) (low >> at) & 63 : high >> at & 15 | upper;
    return Lanes.half(block) * six;
  }

  private static float minimum(long block, int part) {
    long low = RawMemory.getLong(block + 4 & ADDRESS);
    int high = RawMemory.getInt(block + 12 & ADDRESS);
    int at = 8 * (part & 3);
    int upper = (int) (low >> at + 38 & 3) << 4;
    int six = (part & 4) == 0 ? (int) (low >> at + 32) & 63 : high >> at + 4 & 15 | upper;
    return Lanes.half(block + 2) * six;
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    long row = blocks + from / 256 * BYTES;
    int parts = (int) (count / 32);
    for (int p = 0; p < parts; p++, to += 128) {
      long block = row + (long) BYTES * (p >> 3);
      float s = scale(block, p);
      float m = minimum(block, p);
      for (int j = 0; j < 32; j += LANES) {
        Lanes.store(values(codes(block, p) + j, 4 * (p & 1), s, m), to + 4L * j);
      }
    }
  }
}
