package ristretto.expr;

import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Constant;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.expr.type.U64;
import ristretto.kernels.ShapeException;

/** Creates constants and checks that their dtype holds the value. */
final class Scalars {
  private Scalars() {}

  /** Scalar passed at launch, so that other values share the kernel. */
  static <T> Expr<T> number(DType<T> dtype, double value) {
    requireHeld(dtype, value);
    return constant(dtype, Shape.SCALAR, value, whole(dtype, value), false);
  }

  static <T> Expr<T> number(DType<T> dtype, long value) {
    if (UnknownDims.isKnown(value) && !dtype.holds(value)) {
      throw outside(dtype, value);
    }
    return constant(dtype, Shape.SCALAR, value, value, false);
  }

  /** Whole number of a value; for U64 its bits. */
  private static long whole(DType<?> dtype, double value) {
    return dtype == (Object) U64.INSTANCE && value >= 0x1p63
        ? (long) (value - 0x1p63) ^ Long.MIN_VALUE
        : (long) value;
  }

  /** Launch scalar of an integer dtype from the bits of the number in its compute type. */
  static <T> Expr<T> bits(DType<T> dtype, long bits) {
    return constant(dtype, Shape.SCALAR, bits, bits, false);
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
    if (dtype.isFloat() || value != Math.rint(value)) {
      return false;
    }
    if (dtype == (Object) U64.INSTANCE) {
      return value < 0 || value >= 0x1p64;
    }
    boolean inLong = value >= -0x1p63 && value < 0x1p63;
    return !(inLong && dtype.holds((long) value));
  }

  /** Largest number of an integer dtype or BOOL, for messages. */
  static String most(DType<?> dtype) {
    return dtype.isUnsigned() ? Long.toUnsignedString(dtype.most()) : Long.toString(dtype.most());
  }

  private static ShapeException outside(DType<?> dtype, Number value) {
    return new ShapeException(
        ("[number] numbers with an expression of %s must be from %s to %s; got %s; cast the"
                + " expression first, as in x.cast(%s).")
            .formatted(
                dtype,
                dtype.least(),
                most(dtype),
                value instanceof Double d && Double.isFinite(d)
                    ? new java.math.BigDecimal(d).toBigInteger()
                    : value,
                dtype.bytes() == 8 ? "F64" : "I64"));
  }

  /** Constant of a formula, compiled into the kernel. */
  static <T> Expr<T> literal(DType<T> dtype, double value) {
    return constant(dtype, Shape.SCALAR, value, (long) value, true);
  }

  static <T> Expr<T> filled(DType<T> dtype, Shape shape, double value) {
    requireHeld(dtype, value);
    return constant(dtype, shape, value, whole(dtype, value), false);
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
