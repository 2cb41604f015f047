package ristretto.nnet3.graph;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** Set of times, stored as one word of bits for each block of 64 times that has members. */
final class TimeSet {
  /** Binary logarithm of the number of times in a block. */
  private static final int SHIFT = 6;

  /** Times of the words divided by 64, ascending. */
  private int[] blocks;

  /** Members of each block; none is zero. */
  private long[] words;

  private int count;

  TimeSet() {
    this(1);
  }

  /**
   * @param capacity expected number of blocks
   */
  private TimeSet(int capacity) {
    blocks = new int[Math.max(1, capacity)];
    words = new long[blocks.length];
  }

  void add(int t) {
    add(t >> SHIFT, 1L << t);
  }

  boolean contains(int t) {
    return (word(t >> SHIFT) >>> t & 1) != 0;
  }

  /** Returns the place of a block, or minus the place of the next block minus one. */
  private int find(int block) {
    if (count == 0 || block > blocks[count - 1]) {
      return -count - 1;
    }
    int at = block - blocks[0];
    return at >= 0 && at < count && blocks[at] == block
        ? at
        : Arrays.binarySearch(blocks, 0, count, block);
  }

  private long word(int block) {
    int at = find(block);
    return at < 0 ? 0 : words[at];
  }

  private void add(int block, long word) {
    if (word == 0) {
      return;
    }
    int at = find(block);
    if (at >= 0) {
      words[at] |= word;
      return;
    }
    at = -at - 1;
    if (count == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * count);
      words = Arrays.copyOf(words, 2 * count);
    }
    System.arraycopy(blocks, at, blocks, at + 1, count - at);
    System.arraycopy(words, at, words, at + 1, count - at);
    blocks[at] = block;
    words[at] = word;
    count++;
  }

  /** Returns the set with {@code by} added to each time. */
  TimeSet shifted(int by) {
    var moved = new TimeSet(count + 1);
    int whole = by >> SHIFT;
    for (int k = 0; k < count; k++) {
      int block = blocks[k] + whole;
      moved.add(block, words[k] << by);
      // a shift by 64, which Java takes for none, has no carry
      moved.add(block + 1, words[k] >>> 1 >>> ~by);
    }
    return moved;
  }

  void addAll(TimeSet other) {
    for (int k = 0; k < other.count; k++) {
      add(other.blocks[k], other.words[k]);
    }
  }

  TimeSet and(TimeSet other) {
    var both = new TimeSet(count);
    for (int k = 0; k < count; k++) {
      both.add(blocks[k], words[k] & other.word(blocks[k]));
    }
    return both;
  }

  TimeSet without(TimeSet other) {
    var rest = new TimeSet(count);
    for (int k = 0; k < count; k++) {
      rest.add(blocks[k], words[k] & ~other.word(blocks[k]));
    }
    return rest;
  }

  /** Returns the times from {@code lo} to {@code hi}, inclusive. */
  TimeSet within(long lo, long hi) {
    if (isEmpty() || lo <= first() && hi >= last()) {
      return this;
    }
    var some = new TimeSet();
    forEach(t -> {
      if (t >= lo && t <= hi) {
        some.add(t);
      }
    });
    return some;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Returns the least time of a non-empty set. */
  int first() {
    return (blocks[0] << SHIFT) + Long.numberOfTrailingZeros(words[0]);
  }

  /** Returns the greatest time of a non-empty set. */
  int last() {
    int k = count - 1;
    return (blocks[k] << SHIFT) + Long.SIZE - 1 - Long.numberOfLeadingZeros(words[k]);
  }

  int size() {
    return Arrays.stream(words, 0, count).mapToInt(Long::bitCount).sum();
  }

  /** Passes the times to {@code sink}, ascending. */
  void forEach(IntConsumer sink) {
    for (int k = 0; k < count; k++) {
      for (long rest = words[k]; rest != 0; rest &= rest - 1) {
        sink.accept((blocks[k] << SHIFT) + Long.numberOfTrailingZeros(rest));
      }
    }
  }
}
