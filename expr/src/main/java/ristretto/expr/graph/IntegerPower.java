package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/** Integer powers of integers by repeated squaring, which wrap as multiplication does. */
public record IntegerPower() implements Formula {
  @Override
  public Scalar read(Term term, Reads in) {
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
  public String text(Term term) {
    return "pow";
  }
}
