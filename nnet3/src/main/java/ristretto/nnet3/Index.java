package ristretto.nnet3;

import java.util.Comparator;

/**
 * Identity of a matrix row: sequence {@code n} of a minibatch, time {@code t}, and {@code x}, which
 * is 0 in most networks. The natural order is by t, then x, then n, which is the order of rows
 * inside a computation.
 *
 * @param n number of the sequence
 * @param t time, or {@link #NO_TIME} for a padding row
 * @param x a further coordinate
 */
public record Index(int n, int t, int x) implements Comparable<Index> {
  /** Time of padding rows. */
  public static final int NO_TIME = Integer.MIN_VALUE;

  /** Order by n, then x, then t: the rows of a sequence are contiguous. */
  public static final Comparator<Index> BY_SEQUENCE =
      Comparator.comparingInt(Index::n).thenComparingInt(Index::x).thenComparingInt(Index::t);

  /** Creates an index with x = 0. */
  public Index(int n, int t) {
    this(n, t, 0);
  }

  /** Returns an index of the same sequence with other t and x. */
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

  /** Returns the text that Kaldi prints in messages: {@code (n, t, x)}. */
  @Override
  public String toString() {
    return "(" + n + ", " + t + ", " + x + ")";
  }
}
