package ristretto.kernels.cpu.block;

import static ristretto.kernels.cpu.block.BlockLaunch.LANES;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.block.BlockDecoder;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cpu.memory.RawMemory;

/** Scalar loops, which run until the vector code is compiled. */
record ScalarBlockCode(BlockFormat format) implements BlockCode {
  /** Elements that are decoded at once. */
  private static final int PART = 256;

  @Override
  public void multiply(
      long blocks, long step, int rows, long x, long k, long to, long work, long last) {
    for (int r = 0; r < rows; r++) {
      long row = blocks + r * step;
      float product =
          switch (format) {
            case Q8_0 -> eight(row, x, k);
            case Q4_0 -> four(row, x, k);
            case I8 -> bytes(row, x, k);
            case Q4_K, Q6_K -> decoded(row, x, k);
          };
      RawMemory.putFloat(to + 4L * r, product);
    }
  }

  private static float eight(long row, long x, long k) {
    var sums = new float[2][LANES];
    var part = new float[LANES];
    for (long block = 0; block < k; block += 32, row += 34) {
      float d = Float.float16ToFloat(RawMemory.getShort(row));
      for (int j = 0; j < 32; j++) {
        add(part, j, RawMemory.getByte(row + 2 + j), RawMemory.getFloat(x + 4 * (block + j)));
      }
      add(sums[(int) (block / 32 % 2)], part, d);
    }
    return total(sums);
  }

  private static float four(long row, long x, long k) {
    var sum = new float[LANES];
    var part = new float[LANES];
    for (long block = 0; block < k; block += 32, row += 18) {
      float d = Float.float16ToFloat(RawMemory.getShort(row));
      for (int j = 0; j < 16; j++) {
        int two = RawMemory.getByte(row + 2 + j) & 255;
        add(part, j, (two & 15) - 8, RawMemory.getFloat(x + 4 * (block + j)));
        add(part, j, (two >> 4) - 8, RawMemory.getFloat(x + 4 * (block + 16 + j)));
      }
      add(sum, part, d);
    }
    return total(sum);
  }

  private static float bytes(long row, long x, long k) {
    var sums = new float[2][LANES];
    long whole = k / (2L * LANES) * 2 * LANES;
    for (long j = 0; j < whole; j++) {
      add(sums[(int) (j / LANES % 2)], (int) (j % LANES), row + 4 + j, x + 4 * j);
    }
    for (int l = 0; l < LANES; l++) {
      sums[0][l] += sums[1][l];
    }
    for (long j = whole; j < k; j++) {
      add(sums[0], (int) (j % LANES), row + 4 + j, x + 4 * j);
    }
    for (int l = 0; l < LANES; l++) {
      sums[0][l] *= RawMemory.getFloat(row);
    }
    return total(sums[0]);
  }

  private static void add(float[] sum, int lane, long code, long x) {
    add(sum, lane, RawMemory.getByte(code), RawMemory.getFloat(x));
  }

  /** Adds a product to the sums of a block. */
  private static void add(float[] part, int j, float q, float x) {
    part[j % LANES] = Math.fma(q, x, part[j % LANES]);
  }

  /** Adds the sums of a block, which begin anew. */
  private static void add(float[] sum, float[] part, float d) {
    for (int l = 0; l < LANES; l++) {
      sum[l] = Math.fma(part[l], d, sum[l]);
      part[l] = 0;
    }
  }

  /** Adds up the lanes of even and odd blocks. */
  private static float total(float[][] sums) {
    for (int l = 0; l < LANES; l++) {
      sums[0][l] += sums[1][l];
    }
    return total(sums[0]);
  }

  /** Adds up the lanes, the upper half to the lower half. */
  private static float total(float[] sum) {
    for (int half = LANES / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; l++) {
        sum[l] += sum[l + half];
      }
    }
    return sum[0];
  }

  private float decoded(long row, long x, long k) {
    var sum = new float[LANES];
    var part = new float[PART];
    for (long from = 0; from < k; from += PART) {
      int count = (int) Math.min(PART, k - from);
      decode(row, from, count, part);
      for (int j = 0; j < count; j++) {
        sum[j % LANES] = Math.fma(part[j], RawMemory.getFloat(x + 4 * (from + j)), sum[j % LANES]);
      }
    }
    return total(sum);
  }

  private void decode(long row, long from, int count, float[] to) {
    var memory = MemorySegment.ofArray(to);
    BlockDecoder.decode(format, RawMemory.ALL, row, from, count, memory, 0);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    BlockDecoder.decode(format, RawMemory.ALL, blocks, from, count, RawMemory.ALL, to);
  }
}
