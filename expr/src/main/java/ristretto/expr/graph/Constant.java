package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.scalar.ScalarType;

/**
 * Constant of any shape.
 *
 * @param value value as a double
 * @param whole value as an integer, for integral dtypes; for U64 its bits
 * @param isLiteral true if kernels have the value compiled in; false for a launch scalar, so that
 *     other values share the kernel
 */
public record Constant(double value, long whole, boolean isLiteral) implements Formula {
  /** Scalar that kernels have compiled in. */
  public static Term literal(DType<?> dtype, double value) {
    return Term.of(new Constant(value, (long) value, true), dtype, Shape.SCALAR);
  }

  /** Term of any shape whose elements are a launch scalar. */
  public static Term filled(DType<?> dtype, Shape shape, double value) {
    return Term.of(new Constant(value, (long) value, false), dtype, shape);
  }

  @Override
  public Object key(Term term) {
    return isLiteral ? (Object) Double.doubleToRawLongBits(value) : "number";
  }

  @Override
  public void scalars(Term term, ScalarSink sink) {
    if (!isLiteral) {
      if (term.dtype().compute() == ScalarType.I64) {
        sink.add(whole);
      } else {
        sink.add(term.dtype(), value);
      }
    }
  }

  @Override
  public Scalar read(Term term, Reads in) {
    return isLiteral ? in.constant(value) : in.number(0);
  }

  @Override
  public String text(Term term) {
    if (term.dtype().isFloat()) {
      return Double.toString(value);
    }
    return term.dtype().isUnsigned() ? Long.toUnsignedString(whole) : Long.toString(whole);
  }
}
