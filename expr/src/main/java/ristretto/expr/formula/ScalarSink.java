package ristretto.expr.formula;

import ristretto.expr.type.DType;

/**
 * Receives the launch scalars of an expression, in order; see {@link ristretto.expr.RExpr#scalars}.
 */
public interface ScalarSink {
  /** Adds a number of the given dtype. */
  void add(DType<?> dtype, double value);

  /** Adds an I64, exact beyond 53 bits. */
  void add(long value);

  /**
   * Adds a number by its bits: those of a float or double, a sign-extended integer, 0 or 1 for
   * BOOL.
   */
  void addBits(DType<?> dtype, long bits);
}
