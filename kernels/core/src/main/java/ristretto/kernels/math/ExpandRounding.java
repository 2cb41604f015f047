package ristretto.kernels.math;

/** Rounding and sign as arithmetic: exact, including signed zeros and NaN. */
final class ExpandRounding {
  private final Formula f;
  private final int x;
  private final int magnitude;

  /** Least number from which on every number is an integer: 2^23 (2^52). */
  private final int big;

  private final int nearest;

  ExpandRounding(Formula f, int x) {
    this.f = f;
    this.x = x;
    magnitude = f.abs(x);
    big = f.c(f.single() ? 0x1p23 : 0x1p52);
    // Adding and subtracting 2^23 rounds smaller numbers half to even.
    nearest = f.sub(f.add(magnitude, big), big);
  }

  int rint() {
    return unlessBig(f.copySign(nearest, x));
  }

  int trunc() {
    return unlessBig(f.copySign(step(f.greater(nearest, magnitude), nearest, -1), x));
  }

  int floor() {
    int signed = f.copySign(nearest, x);
    return unlessBig(f.copySign(step(f.greater(signed, x), signed, -1), x));
  }

  int ceil() {
    int signed = f.copySign(nearest, x);
    return unlessBig(f.copySign(step(f.less(signed, x), signed, 1), x));
  }

  private int step(int condition, int value, int by) {
    return f.select(condition, f.add(value, f.c(by)), value);
  }

  private int unlessBig(int rounded) {
    return f.select(f.less(magnitude, big), rounded, x);
  }

  static int sign(Formula f, int x) {
    if (f.type.isFloat()) {
      int nonZero = f.greater(f.abs(x), f.c(0));
      return f.select(nonZero, f.copySign(f.c(1), x), x);
    }
    int zero = f.tape.constant(f.type, 0);
    int negative = f.select(f.less(x, zero), f.tape.constant(f.type, -1), zero);
    return f.select(f.greater(x, zero), f.tape.constant(f.type, 1), negative);
  }
}
