package ristretto.expr;

import ristretto.kernels.ShapeException;

/** One number as an expression of any shape: part of the kernel, or passed at launch. */
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

  /** A number that may change from call to call: passed at launch. */
  static <T> Scalars<T> number(DType<T> dtype, double value) {
    requireWhole(dtype, value);
    return new Scalars<>(dtype, Shape.SCALAR, value, (long) value, false);
  }

  private static void requireWhole(DType<?> dtype, double value) {
    if (!dtype.isFloat() && value != Math.rint(value)) {
      throw new ShapeException(
          "[number] numbers with an expression of "
              + dtype
              + " must be whole; got "
              + value
              + "; cast the expression first, as in x.cast(F32).");
    }
  }

  static <T> Scalars<T> number(DType<T> dtype, long value) {
    return new Scalars<>(dtype, Shape.SCALAR, value, value, false);
  }

  /** A constant of a formula: part of the kernel. */
  static <T> Scalars<T> literal(DType<T> dtype, double value) {
    return new Scalars<>(dtype, Shape.SCALAR, value, (long) value, true);
  }

  static <T> Scalars<T> filled(DType<T> dtype, Shape shape, double value) {
    requireWhole(dtype, value);
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
