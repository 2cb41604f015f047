package ristretto.expr;

import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/** Integer powers of integers by repeated squaring, which wrap as multiplication does. */
final class Powers<T> extends RExpr<T> {
  private Powers(DType<T> dtype, Shape shape, Expr<T> a, Expr<T> b) {
    super(dtype, shape, a, b);
  }

  static <T> Expr<T> integer(Expr<T> a, Expr<T> b) {
    Apply.requireEqual("pow", a, b);
    return new Powers<>(a.dtype(), Expr.broadcast("pow", a, b), a, b);
  }

  @Override
  protected Scalar read(Reads in) {
    Scalar base = in.input(0);
    Scalar exponent = in.input(1);
    Scalar one = base.constant(1);
    Scalar zero = base.constant(0);
    Scalar result = one;
    Scalar square = base;
    int bits = base.type() == ScalarType.I64 ? 63 : 31;
    for (int k = 0; k < bits; k++) {
      Scalar odd = exponent.apply(Op.USHR, exponent.constant(k)).and(one).ne(zero);
      result = odd.select(result.times(square), result);
      square = square.times(square);
    }
    Scalar even = exponent.and(one).eq(zero);
    Scalar minusOne = base.constant(-1);
    Scalar unit =
        base.eq(one).select(one, base.eq(minusOne).select(even.select(one, minusOne), zero));
    return exponent.lt(zero).select(unit, result);
  }

  @Override
  public String toString() {
    return "pow";
  }
}
