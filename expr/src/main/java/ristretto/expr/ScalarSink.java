package ristretto.expr;

/** Receives the launch scalars of an expression, in order; see {@link Expr#scalars}. */
public interface ScalarSink {
  /** A number of the given dtype. */
  void add(DType<?> dtype, double value);

  /** An I64 that a double may not hold. */
  void add(long value);

  /**
   * A number given by its bits: those of a float or double, an integer sign-extended, 0 or 1 for
   * BOOL.
   */
  void addBits(DType<?> dtype, long bits);
}
