package ristretto.expr.graph;

import ristretto.expr.formula.Integers;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.kernels.scalar.Op;

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
    boolean wraps = Integers.wraps(term.dtype());
    boolean unsigned = wraps && term.dtype().isUnsigned();
    int bits = 8 * (wraps ? term.dtype().bytes() : base.type().bytes()) - (unsigned ? 0 : 1);
    for (int k = 0; k < bits; k++) {
      Scalar odd = exponent.apply(Op.USHR, exponent.constant(k)).and(one).ne(zero);
      result = odd.select(result.times(square), result);
      square = square.times(square);
    }
    if (unsigned) {
      return Integers.wrapped(result, term.dtype());
    }
    Scalar even = exponent.and(one).eq(zero);
    Scalar minusOne = base.constant(-1);
    Scalar unit =
        base.eq(one).select(one, base.eq(minusOne).select(even.select(one, minusOne), zero));
    Scalar power = exponent.lt(zero).select(unit, result);
    return wraps ? Integers.wrapped(power, term.dtype()) : power;
  }

  @Override
  public String text(Term term) {
    return "pow";
  }
}
