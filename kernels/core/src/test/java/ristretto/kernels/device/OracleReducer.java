package ristretto.kernels.device;

import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/** Accumulates ADD, MUL, MIN or MAX: floats in double, integers in long, narrowed at the end. */
final class OracleReducer {
  private final Op op;
  private final ScalarType type;
  private double real;
  private long whole;

  OracleReducer(Op op, ScalarType type) {
    this.op = op;
    this.type = type;
    boolean wide = type == ScalarType.I64;
    switch (op) {
      case ADD -> {}
      case MUL -> {
        real = 1;
        whole = 1;
      }
      case MIN -> {
        real = Double.POSITIVE_INFINITY;
        whole = wide ? Long.MAX_VALUE : Integer.MAX_VALUE;
      }
      case MAX -> {
        real = Double.NEGATIVE_INFINITY;
        whole = wide ? Long.MIN_VALUE : Integer.MIN_VALUE;
      }
      default -> throw new AssertionError(op + " is no reduction");
    }
  }

  void add(Object value) {
    if (type.isFloat()) {
      double v = ((Number) value).doubleValue();
      real =
          switch (op) {
            case ADD -> real + v;
            case MUL -> real * v;
            case MIN -> Math.min(real, v);
            default -> Math.max(real, v);
          };
    } else {
      long v = ((Number) value).longValue();
      whole =
          switch (op) {
            case ADD -> whole + v;
            case MUL -> whole * v;
            case MIN -> Math.min(whole, v);
            default -> Math.max(whole, v);
          };
    }
  }

  /** A Double for floats, whatever their width; Integer or Long otherwise. */
  Object result() {
    if (type.isFloat()) {
      return real;
    }
    return type == ScalarType.I64 ? (Object) whole : (Object) (int) whole;
  }
}
