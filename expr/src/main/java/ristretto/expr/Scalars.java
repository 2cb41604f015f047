package ristretto.expr;

import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Constant;
import ristretto.expr.type.DType;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Creates constants and checks that their dtype holds the value. */
final class Scalars {
  private Scalars() {}

  /** Scalar passed at launch, so that other values share the kernel. */
  static <T> Expr<T> number(DType<T> dtype, double value) {
    requireHeld(dtype, value);
    return constant(dtype, Shape.SCALAR, value, (long) value, false);
  }

  static <T> Expr<T> number(DType<T> dtype, long value) {
    if (UnknownDims.isKnown(value) && !dtype.holds(value)) {
      throw outside(dtype, value);
    }
    return constant(dtype, Shape.SCALAR, value, value, false);
  }

  private static void requireHeld(DType<?> dtype, double value) {
    if (dtype.isFloat()) {
      return;
    }
    if (value != Math.rint(value)) {
      throw new ShapeException(
          ("[number] numbers with an expression of %s must be whole; got %s; cast the expression"
                  + " first, as in x.cast(F32).")
              .formatted(dtype, value));
    }
    if (isBeyond(dtype, value)) {
      throw outside(dtype, value);
    }
  }

  /** Returns true for a whole number or infinity outside the range of an integer dtype or BOOL. */
  static boolean isBeyond(DType<?> dtype, double value) {
    boolean inLong = value >= -0x1p63 && value < 0x1p63;
    return !dtype.isFloat() && value == Math.rint(value) && !(inLong && dtype.holds((long) value));
  }

  private static ShapeException outside(DType<?> dtype, Number value) {
    return new ShapeException(
        ("[number] numbers with an expression of %s must be from %s to %s; got %s; cast the"
                + " expression first, as in x.cast(%s).")
            .formatted(
                dtype,
                dtype.least(),
                dtype.most(),
                value instanceof Double d && Double.isFinite(d)
                    ? new java.math.BigDecimal(d).toBigInteger()
                    : value,
                dtype == I64.INSTANCE ? "F64" : "I64"));
  }

  /** Constant of a formula, compiled into the kernel. */
  static <T> Expr<T> literal(DType<T> dtype, double value) {
    return constant(dtype, Shape.SCALAR, value, (long) value, true);
  }

  static <T> Expr<T> filled(DType<T> dtype, Shape shape, double value) {
    requireHeld(dtype, value);
    return constant(dtype, shape, value, (long) value, false);
  }

  private static <T> Expr<T> constant(
      DType<T> dtype, Shape shape, double value, long whole, boolean literal) {
    return new Computed<>(new Constant(value, whole, literal), dtype, shape);
  }

  static void requirePositiveOrZero(String op, String argument, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new ShapeException(
          "[%s] %s must be finite and at least 0; got %s; 1e-5 is usual."
              .formatted(op, argument, value));
    }
  }
}
