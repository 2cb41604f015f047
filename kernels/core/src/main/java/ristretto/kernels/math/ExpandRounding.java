package ristretto.kernels.math;

import ristretto.kernels.scalar.Op;

/** Rounding and sign as arithmetic: exact, including signed zeros and NaN. */
final class ExpandRounding {
  private ExpandRounding() {}

  /** Rounds by FLOOR, CEIL, TRUNC or RINT. */
  static int round(Formula f, Op op, int x) {
    int magnitude = f.abs(x);
    // Every number from 2^23 (2^52) on is an integer; adding and subtracting 2^23 rounds smaller
    // ones half to even.
    int big = f.c(f.single() ? 0x1p23 : 0x1p52);
    int nearest = f.sub(f.add(magnitude, big), big);
    int rounded =
        switch (op) {
          case RINT -> f.copySign(nearest, x);
          case TRUNC -> f.copySign(step(f, f.greater(nearest, magnitude), nearest, -1), x);
          case FLOOR -> {
            int signed = f.copySign(nearest, x);
            yield f.copySign(step(f, f.greater(signed, x), signed, -1), x);
          }
          default -> {
            int signed = f.copySign(nearest, x);
            yield f.copySign(step(f, f.less(signed, x), signed, 1), x);
          }
        };
    return f.select(f.less(magnitude, big), rounded, x);
  }

  private static int step(Formula f, int condition, int x, int by) {
    return f.select(condition, f.add(x, f.c(by)), x);
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

  static boolean handles(Op op) {
    return switch (op) {
      case FLOOR, CEIL, TRUNC, RINT, SIGN, COPYSIGN -> true;
      default -> false;
    };
  }

  static int apply(Formula f, Op op, int a, int b) {
    return switch (op) {
      case COPYSIGN -> f.copySign(a, b);
      case SIGN -> sign(f, a);
      default -> round(f, op, a);
    };
  }
}
