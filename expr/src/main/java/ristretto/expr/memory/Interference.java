package ristretto.expr.memory;

/** Interference of the arguments of a plan: which of them cannot share memory. */
public interface Interference {
  /** Returns true if the live ranges of two arguments intersect. */
  boolean between(int one, int other);

  /**
   * Returns true if a step writes one argument in place of the other, which it reads for the last
   * time.
   */
  boolean isInPlace(int one, int other);
}
