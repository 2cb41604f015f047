package ristretto.nnet3.compile;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** Bit set of whole numbers in a narrow range, such as the times of a node's rows. */
final class Times {
  private static final int BITS = Long.SIZE;

  /** Number represented by the first bit. */
  private int base;

  private long[] words;

  /** Empty set. */
  Times() {
    this(0, new long[0]);
  }

  private Times(int base, long[] words) {
    this.base = base;
    this.words = words;
  }

  void add(int t) {
    include(t, t);
    int at = t - base;
    words[at / BITS] |= 1L << (at % BITS);
  }

  boolean contains(int t) {
    long at = (long) t - base;
    return at >= 0
        && at < (long) words.length * BITS
        && (words[(int) (at / BITS)] >>> (at % BITS) & 1) != 0;
  }

  /** Extends the words to cover a range. */
  private void include(int first, int last) {
    if (words.length == 0) {
      base = first;
    }
    int before = first >= base ? 0 : (base - first + BITS - 1) / BITS;
    int end = Math.max(words.length, (last - base) / BITS + 1);
    if (before > 0 || end > words.length) {
      int spare = before > 0 ? before : 0;
      var more = new long[spare + end];
      System.arraycopy(words, 0, more, spare, words.length);
      words = more;
      base -= spare * BITS;
    }
  }

  /** Returns 64 bits from {@code t} on. */
  private long from(int t) {
    long at = (long) t - base;
    int word = (int) Math.floorDiv(at, BITS);
    int bit = Math.floorMod(at, BITS);
    long low = word >= 0 && word < words.length ? words[word] >>> bit : 0;
    boolean next = bit > 0 && word + 1 >= 0 && word + 1 < words.length;
    return next ? low | words[word + 1] << (BITS - bit) : low;
  }

  /** Returns the set with {@code by} added to each number. */
  Times shifted(int by) {
    return new Times(base + by, words.clone());
  }

  void addAll(Times other) {
    if (other.isEmpty()) {
      return;
    }
    include(other.first(), other.last());
    for (int k = 0; k < words.length; k++) {
      words[k] |= other.from(base + k * BITS);
    }
  }

  Times and(Times other) {
    var both = words.clone();
    for (int k = 0; k < both.length; k++) {
      both[k] &= other.from(base + k * BITS);
    }
    return new Times(base, both);
  }

  Times without(Times other) {
    var rest = words.clone();
    for (int k = 0; k < rest.length; k++) {
      rest[k] &= ~other.from(base + k * BITS);
    }
    return new Times(base, rest);
  }

  /** Returns the numbers from {@code lo} to {@code hi}, inclusive. */
  Times within(long lo, long hi) {
    if (isEmpty() || lo <= first() && hi >= last()) {
      return this;
    }
    var some = new Times();
    forEach(t -> {
      if (t >= lo && t <= hi) {
        some.add(t);
      }
    });
    return some;
  }

  boolean isEmpty() {
    for (long word : words) {
      if (word != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns the least number of a non-empty set. */
  int first() {
    int k = 0;
    while (words[k] == 0) {
      k++;
    }
    return base + k * BITS + Long.numberOfTrailingZeros(words[k]);
  }

  /** Returns the greatest number of a non-empty set. */
  int last() {
    int k = words.length - 1;
    while (words[k] == 0) {
      k--;
    }
    return base + k * BITS + BITS - 1 - Long.numberOfLeadingZeros(words[k]);
  }

  int size() {
    return Arrays.stream(words).mapToInt(Long::bitCount).sum();
  }

  /** Passes the numbers to {@code sink}, ascending. */
  void forEach(IntConsumer sink) {
    for (int k = 0; k < words.length; k++) {
      for (long rest = words[k]; rest != 0; rest &= rest - 1) {
        sink.accept(base + k * BITS + Long.numberOfTrailingZeros(rest));
      }
    }
  }
}
