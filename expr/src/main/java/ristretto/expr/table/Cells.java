package ristretto.expr.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Growing column of 64-bit values, outside of the Java heap but for the last block. */
final class Cells {
  private static final int BITS = 12;
  private static final int BLOCK = 1 << BITS;

  private final Arena arena;
  private final List<MemorySegment> full = new ArrayList<>();
  private long[] block = new long[16];
  private int filled;

  Cells(Arena arena) {
    this.arena = arena;
  }

  long size() {
    return (long) full.size() * BLOCK + filled;
  }

  void add(long value) {
    if (filled == block.length) {
      grow();
    }
    block[filled++] = value;
  }

  private void grow() {
    if (filled < BLOCK) {
      block = Arrays.copyOf(block, Math.min(BLOCK, 4 * filled));
      return;
    }
    MemorySegment copy = arena.allocate(ValueLayout.JAVA_LONG, BLOCK);
    MemorySegment.copy(block, 0, copy, ValueLayout.JAVA_LONG, 0, BLOCK);
    full.add(copy);
    filled = 0;
  }

  long get(long k) {
    int b = Math.toIntExact(k >> BITS);
    int at = (int) (k & BLOCK - 1);
    return b < full.size() ? full.get(b).getAtIndex(ValueLayout.JAVA_LONG, at) : block[at];
  }

  /** Replaces each value. */
  void map(LongUnaryOperator f) {
    for (MemorySegment s : full) {
      for (int k = 0; k < BLOCK; k++) {
        long v = s.getAtIndex(ValueLayout.JAVA_LONG, k);
        s.setAtIndex(ValueLayout.JAVA_LONG, k, f.applyAsLong(v));
      }
    }
    for (int k = 0; k < filled; k++) {
      block[k] = f.applyAsLong(block[k]);
    }
  }
}
