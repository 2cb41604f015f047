package ristretto.jmh.run;

import ristretto.jmh.line.Line;

/**
 * Maximum error of a competitor against double precision, relative to the larger of 1 and the
 * value. The bounds are generous: they detect competitors that compute something else; the table
 * shows the actual accuracy.
 */
final class Tolerances {
  private static final double FLOAT = 5e-5;

  /**
   * Bound for numexpr, which adds floats sequentially, so that its sums stop growing at 2^24 times
   * the addend.
   */
  private static final double NAIVE_SUM = 0.9;

  private Tolerances() {}

  static double of(Line line, String competitor) {
    return switch (line.family()) {
      case SUM -> competitor.equals("numexpr") ? NAIVE_SUM : 1e-3;
      case REDUCE, GEMM -> 1e-3;
      case MAP, ROWS, LAYOUT -> FLOAT;
    };
  }
}
