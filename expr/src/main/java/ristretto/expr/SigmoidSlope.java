package ristretto.expr;

import java.util.Arrays;
import java.util.List;

/**
 * Derivative of the sigmoid {@code s} of {@code a}, {@code s(a) s(-a)}, computed from {@code
 * exp(-|a|)}, which stays accurate where {@code 1 - s} rounds to 0.
 */
final class SigmoidSlope<T> extends RExpr<T> {
  SigmoidSlope(Expr<T> s, Expr<T> a) {
    super(a.dtype(), a.shape(), s, a);
  }

  @Override
  protected Scalar read(Reads in) {
    Scalar s = in.input(0);
    Scalar a = in.input(1);
    Scalar e = a.abs().neg().exp();
    return s.times(a.lt(a.constant(0)).select(s.constant(1).minus(s), s.times(e)));
  }

  /** Gradient with respect to {@code a} only, since the sigmoid is a function of {@code a}. */
  @Override
  @SuppressWarnings("unchecked")
  protected List<Expr<?>> gradients(Expr<T> dy) {
    var a = (Expr<T>) inputs().get(1);
    return Arrays.asList(null, dy.times(this).times(Ops.tanh(a.times(-0.5))));
  }

  @Override
  public String toString() {
    return "sigmoidSlope";
  }
}
