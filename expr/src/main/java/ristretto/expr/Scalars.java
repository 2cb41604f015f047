package ristretto.expr;

import ristretto.kernels.ShapeException;

/**
 * Constant expression of any shape: compiled into the kernel (literal) or passed as a launch
 * scalar.
 */
final class Scalars<T> extends RExpr<T> {
  private final double value;
  private final long whole;
  private final boolean literal;

  private Scalars(DType<T> dtype, Shape shape, double value, long whole, boolean literal) {
    super(dtype, shape);
    this.value = value;
    this.whole = whole;
    this.literal = literal;
  }

  /** Scalar passed at launch, so that other values share the kernel. */
  static <T> Scalars<T> number(DType<T> dtype, double value) {
    requireHeld(dtype, value);
    return new Scalars<>(dtype, Shape.SCALAR, value, (long) value, false);
  }

  static <T> Scalars<T> number(DType<T> dtype, long value) {
    if (!dtype.holds(value)) {
      throw outside(dtype, value);
    }
    return new Scalars<>(dtype, Shape.SCALAR, value, value, false);
  }

  private static void requireHeld(DType<?> dtype, double value) {
    if (dtype.isFloat()) {
      return;
    }
    if (value != Math.rint(value)) {
      throw new ShapeException(
          "[number] numbers with an expression of "
              + dtype
              + " must be whole; got "
              + value
              + "; cast the expression first, as in x.cast(F32).");
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
        "[number] numbers with an expression of "
            + dtype
            + " must be from "
            + dtype.least()
            + " to "
            + dtype.most()
            + "; got "
            + (value instanceof Double d && Double.isFinite(d)
                ? new java.math.BigDecimal(d).toBigInteger()
                : value)
            + "; cast the expression first, as in x.cast("
            + (dtype == I64.INSTANCE ? "F64" : "I64")
            + ").");
  }

  /** Constant of a formula, compiled into the kernel. */
  static <T> Scalars<T> literal(DType<T> dtype, double value) {
    return new Scalars<>(dtype, Shape.SCALAR, value, (long) value, true);
  }

  static <T> Scalars<T> filled(DType<T> dtype, Shape shape, double value) {
    requireHeld(dtype, value);
    return new Scalars<>(dtype, shape, value, (long) value, false);
  }

  boolean isLiteral() {
    return literal;
  }

  double value() {
    return value;
  }

  long whole() {
    return whole;
  }

  @Override
  protected Object key() {
    return literal ? (Object) Double.doubleToRawLongBits(value) : "number";
  }

  @Override
  protected void scalars(ScalarSink sink) {
    if (!literal) {
      if (dtype() == I64.INSTANCE) {
        sink.add(whole);
      } else {
        sink.add(dtype(), value);
      }
    }
  }

  @Override
  protected Scalar read(Reads in) {
    return literal ? in.constant(value) : in.number(0);
  }

  @Override
  public String toString() {
    return dtype().isFloat() ? Double.toString(value) : Long.toString(whole);
  }
}
