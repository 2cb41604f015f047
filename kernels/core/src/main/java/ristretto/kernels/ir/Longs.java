package ristretto.kernels.ir;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/** Immutable list of longs with value equality: extents or strides, one per dimension. */
public final class Longs {
  public static final Longs EMPTY = new Longs();

  private final long[] values;

  private Longs(long... values) {
    this.values = values;
  }

  public static Longs of(long... values) {
    return values.length == 0 ? EMPTY : new Longs(values.clone());
  }

  /** Returns a list of {@code n} entries equal to {@code value}. */
  public static Longs filled(int n, long value) {
    long[] all = new long[n];
    Arrays.fill(all, value);
    return new Longs(all);
  }

  public int size() {
    return values.length;
  }

  public long get(int k) {
    return values[k];
  }

  /** Returns a copy as an array. */
  public long[] toArray() {
    return values.clone();
  }

  /** Returns the list of the results of a function of each entry. */
  public Longs map(LongUnaryOperator function) {
    if (values.length == 0) {
      return this;
    }
    long[] all = new long[values.length];
    for (int k = 0; k < all.length; k++) {
      all[k] = function.applyAsLong(values[k]);
    }
    return new Longs(all);
  }

  /** Product of all entries; 1 for an empty list. */
  public long product() {
    long p = 1;
    for (long v : values) {
      p *= v;
    }
    return p;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Longs l && Arrays.equals(values, l.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
