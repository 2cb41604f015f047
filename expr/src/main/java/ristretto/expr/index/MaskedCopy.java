package ristretto.expr.index;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * Copies of the elements where a mask is true, on the host: one pass counts them in each chunk of
 * the mask, another one writes them from the sum of the counts before the chunk on.
 */
public final class MaskedCopy {
  /** Elements of a chunk. */
  private static final int CHUNK = 1 << 16;

  /** Number of elements per true element from which zeros are skipped. */
  private static final int SPARSE = 16;

  /** Threads that run numbered tasks, and return when all have ended. */
  @FunctionalInterface
  public interface Threads {
    void run(int tasks, IntConsumer task);
  }

  private final Threads threads;

  /** Number of true elements before each chunk, and of all. */
  private final long[] starts;

  /**
   * Counts the true elements.
   *
   * @param mask bytes 0 and 1
   */
  public MaskedCopy(Threads threads, MemorySegment mask) {
    this.threads = threads;
    int chunks = Math.toIntExact(Math.ceilDiv(mask.byteSize(), CHUNK));
    starts = new long[chunks + 1];
    threads.run(chunks, k -> starts[k + 1] = count(chunk(mask, k, 1)));
    for (int k = 0; k < chunks; k++) {
      starts[k + 1] += starts[k];
    }
  }

  /** Number of true elements. */
  public long count() {
    return starts[starts.length - 1];
  }

  private static MemorySegment chunk(MemorySegment all, int k, int bytes) {
    long from = (long) k * CHUNK * bytes;
    return all.asSlice(from, Math.min(CHUNK * (long) bytes, all.byteSize() - from));
  }

  private static int count(MemorySegment mask) {
    int n = (int) mask.byteSize();
    int count = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
      count += Long.bitCount(mask.get(JAVA_LONG_UNALIGNED, i));
    }
    for (; i < n; i++) {
      count += mask.get(JAVA_BYTE, i);
    }
    return count;
  }

  private MemorySegment target(MemorySegment to, int k, int bytes) {
    return to.asSlice(starts[k] * bytes, (starts[k + 1] - starts[k]) * bytes);
  }

  /** Writes the positions of the true elements, I64. */
  public void positions(MemorySegment mask, MemorySegment to) {
    threads.run(
        starts.length - 1, k -> positions(chunk(mask, k, 1), target(to, k, 8), (long) k * CHUNK));
  }

  private static void positions(MemorySegment mask, MemorySegment to, long first) {
    if (to.byteSize() < mask.byteSize() / SPARSE * 8) {
      few(mask, to, first);
      return;
    }
    int n = (int) to.byteSize();
    // Each position is written, and replaced by the next one unless its element is true.
    for (int i = 0, at = 0; at < n; i++) {
      to.set(JAVA_LONG_UNALIGNED, at, first + i);
      at += mask.get(JAVA_BYTE, i) << 3;
    }
  }

  /** Writes positions; eight false elements take one step. */
  private static void few(MemorySegment mask, MemorySegment to, long first) {
    int n = (int) to.byteSize();
    for (int i = 0, at = 0; at < n; i += 8) {
      int more = (int) Math.min(8, mask.byteSize() - i);
      if (more == 8 && mask.get(JAVA_LONG_UNALIGNED, i) == 0) {
        continue;
      }
      for (int k = i; k < i + more; k++) {
        if (mask.get(JAVA_BYTE, k) != 0) {
          to.set(JAVA_LONG_UNALIGNED, at, first + k);
          at += 8;
        }
      }
    }
  }

  /** Returns true if {@link #elements} copies elements of so many bytes. */
  public static boolean copies(int bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  }

  /** Writes the elements of a vector where the mask is true. */
  public void elements(MemorySegment mask, MemorySegment from, int bytes, MemorySegment to) {
    threads.run(
        starts.length - 1,
        k -> {
          MemorySegment into = target(to, k, bytes);
          switch (bytes) {
            case 1 -> bytes(chunk(mask, k, 1), chunk(from, k, 1), into);
            case 2 -> shorts(chunk(mask, k, 1), chunk(from, k, 2), into);
            case 4 -> ints(chunk(mask, k, 1), chunk(from, k, 4), into);
            default -> longs(chunk(mask, k, 1), chunk(from, k, 8), into);
          }
        });
  }

  private static void bytes(MemorySegment mask, MemorySegment from, MemorySegment to) {
    int n = (int) to.byteSize();
    for (int i = 0, at = 0; at < n; i++) {
      to.set(JAVA_BYTE, at, from.get(JAVA_BYTE, i));
      at += mask.get(JAVA_BYTE, i);
    }
  }

  private static void shorts(MemorySegment mask, MemorySegment from, MemorySegment to) {
    int n = (int) to.byteSize();
    for (int i = 0, at = 0; at < n; i++) {
      to.set(JAVA_SHORT_UNALIGNED, at, from.get(JAVA_SHORT_UNALIGNED, i << 1));
      at += mask.get(JAVA_BYTE, i) << 1;
    }
  }

  private static void ints(MemorySegment mask, MemorySegment from, MemorySegment to) {
    int n = (int) to.byteSize();
    for (int i = 0, at = 0; at < n; i++) {
      to.set(JAVA_INT_UNALIGNED, at, from.get(JAVA_INT_UNALIGNED, i << 2));
      at += mask.get(JAVA_BYTE, i) << 2;
    }
  }

  private static void longs(MemorySegment mask, MemorySegment from, MemorySegment to) {
    int n = (int) to.byteSize();
    for (int i = 0, at = 0; at < n; i++) {
      to.set(JAVA_LONG_UNALIGNED, at, from.get(JAVA_LONG_UNALIGNED, i << 3));
      at += mask.get(JAVA_BYTE, i) << 3;
    }
  }
}
