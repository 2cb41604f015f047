package ristretto.kernels.cpu.launch;

import java.util.Arrays;
import ristretto.kernels.cpu.memory.CpuBuffer;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.ChunkedTask;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;

/**
 * Stable sort of one long row by all threads: a radix sort, least significant digit first. If few
 * entries are kept, their keys are found by a histogram of the highest digit, and only the elements
 * with such digits are sorted. Each thread has a part of the row; parts are combined in order, so
 * that results do not depend on the number of threads.
 */
final class LongRowSort {
  /** Shortest row for which passes over histograms pay off. */
  static final int LEAST = 1 << 12;

  private static final int BITS = 11;
  private static final int BINS = 1 << BITS;
  private static final int BLOCK = 1024;

  /**
   * Bits of the first digit of a selection: with a sign, an exponent and some of the significand,
   * few elements share a digit. Rows below {@link #LONG} have digits as in sorts, since their
   * histogram would take longer than their elements.
   */
  private static final int FIRST_BITS = 16;

  private static final int LONG = 1 << 17;

  private final LaunchServices services;
  private final Job job;
  private final int parts;
  private final SortKeys keys;
  private final ThreadContext context;
  private final boolean positions;
  private final int[][] counts;
  private final long[][] blocks;

  private long from;
  private long step;
  private int n;

  /** Keys, and positions of wide keys, before and after a pass. */
  private long source;

  private long target;
  private long sourceAt;
  private long targetAt;
  private int shift;
  private int lowest;
  private int highest;

  /**
   * Creates a sort.
   *
   * @param parts number of threads
   * @param positions true if positions of wide keys are needed; narrow keys always have them
   */
  LongRowSort(
      LaunchServices services,
      Job job,
      int parts,
      SortKeys keys,
      boolean positions,
      ThreadContext context) {
    this.services = services;
    this.job = job;
    this.parts = parts;
    this.keys = keys;
    this.positions = positions && !keys.narrow();
    this.context = context;
    counts = new int[parts][BINS];
    blocks = new long[parts][BLOCK];
  }

  /** Bytes of workspace for a row. */
  static long bytes(long n) {
    return 24 * n + 64;
  }

  /** Consumer of entries in sorted order. */
  interface Output {
    /**
     * Writes sorted entries.
     *
     * @param keysAt address of the keys, of which narrow ones hold their position in the lower half
     * @param positionsAt address of the positions (I32) of wide keys
     * @param first number of the first entry
     * @param end end of the entries
     */
    void write(long keysAt, long positionsAt, int first, int end);
  }

  /**
   * Sorts a row and writes {@code keep} entries, those from entry {@code skip} on.
   *
   * @param output called for parts of the kept entries, numbered from 0, by several threads
   */
  void run(
      long address, long bytes, int length, int skip, int keep, CpuBuffer room, Output output) {
    from = address;
    step = bytes;
    n = length;
    source = room.address("sort") + 63 & -64L;
    target = source + 8L * length;
    sourceAt = target + 8L * length;
    targetAt = sourceAt + 4L * length;
    int start = skip;
    if (keep <= length / 8) {
      start = select(skip, keep);
    } else {
      each((_, part, _, _) -> fill(part));
      sort();
    }
    long first = source + 8L * start;
    long firstAt = sourceAt + 4L * start;
    each((_, part, _, _) -> output.write(first, firstAt, share(keep, part), share(keep, part + 1)));
  }

  private void each(ChunkedTask task) {
    if (parts == 1) {
      task.chunk(job, 0, 1, context);
    } else {
      services.workers.run(job, task, parts);
    }
  }

  private int share(int count, int part) {
    return (int) ((long) count * part / parts);
  }

  private void fill(int part) {
    long[] block = blocks[part];
    int end = share(n, part + 1);
    for (int i = share(n, part); i < end; i += BLOCK) {
      int count = Math.min(BLOCK, end - i);
      keys.read(from + i * step, step, count, block, 0);
      long to = source + 8L * i;
      if (keys.narrow()) {
        for (int k = 0; k < count; k++) {
          RawMemory.putLong(to + 8L * k, block[k] | i + k);
        }
      } else {
        for (int k = 0; k < count; k++) {
          RawMemory.putLong(to + 8L * k, block[k]);
          if (positions) {
            RawMemory.putInt(sourceAt + 4L * (i + k), i + k);
          }
        }
      }
    }
  }

  // Radix sort

  private void sort() {
    for (shift = keys.narrow() ? 32 : 0; shift < 64; shift += BITS) {
      each((_, part, _, _) -> count(part));
      if (offsets()) {
        each((_, part, _, _) -> move(part));
        long other = source;
        source = target;
        target = other;
        other = sourceAt;
        sourceAt = targetAt;
        targetAt = other;
      }
    }
  }

  /** Returns a digit in the order of signed keys. */
  private static int digit(long key, int shift) {
    return (int) ((key ^ Long.MIN_VALUE) >>> shift) & BINS - 1;
  }

  private void count(int part) {
    int[] count = counts[part];
    Arrays.fill(count, 0);
    long end = source + 8L * share(n, part + 1);
    int s = shift;
    for (long at = source + 8L * share(n, part); at < end; at += 8) {
      count[digit(RawMemory.getLong(at), s)]++;
    }
  }

  /** Replaces counts by first positions; returns false if all digits are equal. */
  private boolean offsets() {
    int sum = 0;
    for (int bin = 0; bin < BINS; bin++) {
      int before = sum;
      for (int[] count : counts) {
        int c = count[bin];
        count[bin] = sum;
        sum += c;
      }
      if (sum - before == n) {
        return false;
      }
    }
    return true;
  }

  private void move(int part) {
    int[] place = counts[part];
    int end = share(n, part + 1);
    int s = shift;
    for (int i = share(n, part); i < end; i++) {
      long key = RawMemory.getLong(source + 8L * i);
      int to = place[digit(key, s)]++;
      RawMemory.putLong(target + 8L * to, key);
      if (positions) {
        RawMemory.putInt(targetAt + 4L * to, RawMemory.getInt(sourceAt + 4L * i));
      }
    }
  }

  // Selection

  /** Sorts the elements around the kept entries; returns the number of those before. */
  private int select(int skip, int keep) {
    if (keep == 0) {
      return 0;
    }
    int bits = n < LONG ? BITS : FIRST_BITS;
    shift = 64 - bits;
    int[][] first = n < LONG ? counts : new int[parts][1 << bits];
    each((_, part, _, _) -> countHighest(part, first[part]));
    int before = range(first, skip, keep);
    int found = 0;
    int[] starts = new int[parts];
    for (int part = 0; part < parts; part++) {
      starts[part] = found;
      for (int bin = lowest; bin <= highest; bin++) {
        found += first[part][bin];
      }
    }
    each((_, part, _, _) -> collect(part, starts[part]));
    n = found;
    int left = skip - before;
    // While all candidates share a digit, the next digit tells them apart.
    while (lowest == highest && n > Math.max(BINS, 8 * keep) && shift > (keys.narrow() ? 32 : 0)) {
      shift = Math.max(shift - BITS, keys.narrow() ? 32 : 0);
      each((_, part, _, _) -> count(part));
      left -= range(counts, left, keep);
      narrow();
    }
    sort();
    return left;
  }

  private void countHighest(int part, int[] count) {
    Arrays.fill(count, 0);
    int s = shift;
    long[] block = blocks[part];
    int end = share(n, part + 1);
    for (int i = share(n, part); i < end; i += BLOCK) {
      int m = Math.min(BLOCK, end - i);
      keys.read(from + i * step, step, m, block, 0);
      for (int k = 0; k < m; k++) {
        count[(int) ((block[k] ^ Long.MIN_VALUE) >>> s)]++;
      }
    }
  }

  /**
   * Sets the lowest and highest digit of the kept entries; returns the number of elements below.
   */
  private int range(int[][] counts, int skip, int keep) {
    int sum = 0;
    int below = 0;
    lowest = -1;
    for (int bin = 0; bin < counts[0].length; bin++) {
      int before = sum;
      for (int[] count : counts) {
        sum += count[bin];
      }
      if (lowest < 0 && sum > skip) {
        lowest = bin;
        below = before;
      }
      if (sum >= skip + keep) {
        highest = bin;
        break;
      }
    }
    return below;
  }

  private void collect(int part, int start) {
    long[] block = blocks[part];
    int end = share(n, part + 1);
    int to = start;
    int s = shift;
    for (int i = share(n, part); i < end; i += BLOCK) {
      int m = Math.min(BLOCK, end - i);
      keys.read(from + i * step, step, m, block, 0);
      for (int k = 0; k < m; k++) {
        int d = (int) ((block[k] ^ Long.MIN_VALUE) >>> s);
        if (d >= lowest && d <= highest) {
          RawMemory.putLong(source + 8L * to, keys.narrow() ? block[k] | i + k : block[k]);
          if (positions) {
            RawMemory.putInt(sourceAt + 4L * to, i + k);
          }
          to++;
        }
      }
    }
  }

  /** Keeps the candidates with digits in range, in order. */
  private void narrow() {
    int to = 0;
    for (int i = 0; i < n; i++) {
      long key = RawMemory.getLong(source + 8L * i);
      int d = digit(key, shift);
      if (d >= lowest && d <= highest) {
        RawMemory.putLong(source + 8L * to, key);
        if (positions) {
          RawMemory.putInt(sourceAt + 4L * to, RawMemory.getInt(sourceAt + 4L * i));
        }
        to++;
      }
    }
    n = to;
  }
}
