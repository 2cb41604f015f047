package ristretto.jmh.run;

import ristretto.jmh.line.Line;

/**
 * How far a competitor may be from double precision, relative to the larger of 1 and the value.
 * Generous: it is there to find competitors that do other work, not to judge accuracy, which the
 * table shows.
 */
final class Tolerances {
  private static final double FLOAT = 5e-5;

  /** numexpr adds floats one by one, and stops growing at 2^24 times the addend. */
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
