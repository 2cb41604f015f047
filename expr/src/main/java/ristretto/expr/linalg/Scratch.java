package ristretto.expr.linalg;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Working memory of a routine. Small memory belongs to the thread and is reused. */
final class Scratch implements AutoCloseable {
  /** Bytes that a thread keeps at most. */
  private static final long MOST_KEPT = 64 << 20;

  private static final ThreadLocal<MemorySegment> KEPT =
      ThreadLocal.withInitial(() -> MemorySegment.NULL);

  private final boolean wide;
  private final Arena arena;
  private final MemorySegment memory;
  private long used;

  /** Takes working memory for so many numbers. */
  Scratch(boolean wide, long numbers) {
    this.wide = wide;
    // Each part begins at a multiple of 64 bytes.
    long bytes = numbers * 8 + 16 * 64;
    MemorySegment kept = KEPT.get();
    // Further memory that this thread takes meanwhile is another one.
    KEPT.set(MemorySegment.NULL);
    if (bytes > MOST_KEPT) {
      arena = Arena.ofConfined();
      memory = arena.allocate(bytes, 64);
    } else {
      arena = null;
      if (kept.byteSize() < bytes) {
        kept = Arena.ofAuto().allocate(Math.min(MOST_KEPT, bytes + bytes / 2), 64);
      }
      memory = kept;
    }
  }

  /** Takes the next numbers, of undefined values. */
  Reals take(long numbers) {
    MemorySegment part = memory.asSlice(used, numbers * (wide ? 8 : 4));
    used += (part.byteSize() + 63) & -64L;
    return new Reals(part, wide);
  }

  /** Takes the next 4-byte integers; two of them are as large as a number. */
  Integers integers(long count) {
    MemorySegment part = memory.asSlice(used, 4 * count);
    used += (part.byteSize() + 63) & -64L;
    return new Integers(part);
  }

  /** Integers of 4 bytes in memory. */
  record Integers(MemorySegment memory) {
    long address() {
      return memory.address();
    }

    int get(long k) {
      return memory.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * k);
    }
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
    } else if (KEPT.get().byteSize() < memory.byteSize()) {
      KEPT.set(memory);
    }
  }
}
