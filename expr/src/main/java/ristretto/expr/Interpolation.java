package ristretto.expr;

/** Choice of the value between two neighbors in sorted order, NumPy's {@code method}. */
public enum Interpolation {
  /** Weighted mean of both neighbors. */
  LINEAR,
  /** Lower neighbor. */
  LOWER,
  /** Higher neighbor. */
  HIGHER,
  /** Nearest neighbor; of two at equal distance the one with an even position. */
  NEAREST,
  /** Mean of both neighbors. */
  MIDPOINT
}
