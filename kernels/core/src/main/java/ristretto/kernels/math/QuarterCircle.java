package ristretto.kernels.math;

import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Rows of the cosine and sine of an angle of at most about pi/4 in magnitude, which needs no
 * reduction; F32 and F64, within 1 ulp.
 */
public record QuarterCircle(int cosine, int sine) {
  /** Adds the rows of the cosine and the sine of row {@code angle}. */
  public static QuarterCircle of(TapeBuilder tape, ScalarType type, int angle) {
    var formula = new Formula(tape, type);
    var waves = new ExpandTrigonometry(formula);
    int square = formula.mul(angle, angle);
    return new QuarterCircle(waves.cosine(square), waves.sine(angle, square));
  }
}
