package ristretto.nnet3;

import java.util.Comparator;

/**
 * What one row of a matrix is about: sequence {@code n} of a minibatch, time {@code t}, and {@code
 * x}, which most networks leave at 0. The natural order is by t, then x, then n, which is the order
 * of rows inside a computation.
 *
 * @param n number of the sequence
 * @param t time, or {@link #NO_TIME} for a row that only pads
 * @param x a further coordinate
 */
public record Index(int n, int t, int x) implements Comparable<Index> {
  /** The time of rows that only pad a matrix. */
  public static final int NO_TIME = Integer.MIN_VALUE;

  /** By n, then x, then t: the rows of a sequence lie together. */
  public static final Comparator<Index> BY_SEQUENCE =
      Comparator.comparingInt(Index::n).thenComparingInt(Index::x).thenComparingInt(Index::t);

  /** With x = 0. */
  public Index(int n, int t) {
    this(n, t, 0);
  }

  /** The same sequence, with others t and x. */
  public Index at(int t, int x) {
    return new Index(n, t, x);
  }

  @Override
  public int compareTo(Index o) {
    int c = Integer.compare(t, o.t);
    if (c == 0) {
      c = Integer.compare(x, o.x);
    }
    return c != 0 ? c : Integer.compare(n, o.n);
  }

  /** As Kaldi prints it in messages: {@code (n, t, x)}. */
  @Override
  public String toString() {
    return "(" + n + ", " + t + ", " + x + ")";
  }
}
