package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.last;
import static ristretto.expr.linalg.Matrices.transposed;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;

/**
 * Sign and logarithm of the magnitude of determinants, without overflow. Results that one
 * evaluation reads share a factorization. A singular matrix has the sign 0 and the logarithm
 * -infinity; the gradient of the logarithm is an error there.
 *
 * @param <T> the dtype
 */
public final class SlogDet<T> {
  private final Expr<T> sign;
  private final Expr<T> logAbsDet;

  SlogDet(Expr<T> a) {
    Shapes.requireSquare("slogdet", a);
    Shape batch = Shapes.batch(a);
    var routine = new LuRoutines.SignLog(Shapes.rows(a));
    var packed = new MatrixOperator<>("slogdet", routine, batch, a);
    sign = Ops.stopGradient(last(packed, 0, 1).squeeze(-1));
    logAbsDet =
        Matrices.of(
            last(packed, 1, 2).squeeze(-1),
            a,
            dy -> transposed(Linalg.inv(a)).times(dy.unsqueeze(-1).unsqueeze(-1)));
  }

  /** Signs: -1, 0 or 1. */
  public Expr<T> sign() {
    return sign;
  }

  /** Natural logarithms of magnitudes. */
  public Expr<T> logAbsDet() {
    return logAbsDet;
  }
}
