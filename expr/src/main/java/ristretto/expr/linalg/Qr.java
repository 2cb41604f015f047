package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.dot;
import static ristretto.expr.linalg.Matrices.last;
import static ristretto.expr.linalg.Matrices.transposed;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Orthonormal columns and upper triangle {@code A = Q R}. Results that one evaluation reads share a
 * factorization. Differentiable for full column rank, or for m &lt; n if the leading square block
 * is regular.
 *
 * @param <T> the dtype
 */
public final class Qr<T> {
  private final Expr<T> a;
  private final Expr<T> q;
  private final Expr<T> r;
  private final boolean isTall;

  Qr(Expr<T> a, boolean full) {
    Shapes.requireMatrix("qr", a);
    this.a = a;
    int m = Shapes.rows(a);
    int n = Shapes.columns(a);
    isTall = full && m > n;
    var routine = new FactorRoutines.Qr(m, n, full);
    long p = routine.columns();
    Shape batch = Shapes.batch(a);
    var packed = new MatrixOperator<>("qr", routine, batch, a);
    Expr<T> ownQ = Matrices.part(packed, 0, batch, m, p);
    Expr<T> ownR = Matrices.part(packed, m * p, batch, p, n);
    q = Gradients.custom(ownQ, () -> List.of(a), (dy, _) -> List.of(gradient(dy, null)));
    r = Gradients.custom(ownR, () -> List.of(a), (dy, _) -> List.of(gradient(null, dy)));
  }

  /** Orthonormal columns: {@code [..., m, k]} for k = min(m, n), or k = m for a full result. */
  public Expr<T> q() {
    return q;
  }

  /** Upper triangle: {@code [..., k, n]}. */
  public Expr<T> r() {
    return r;
  }

  private Expr<T> gradient(Expr<T> dq, Expr<T> dr) {
    if (isTall) {
      throw new ShapeException(
          "[gradient] a full qr of a matrix with more rows than columns has no derivative; got "
              + a.label()
              + "; use the reduced one.");
    }
    long m = a.shape().dim(-2);
    long n = a.shape().dim(-1);
    if (m >= n) {
      return square(dq, dr, r);
    }
    // A = [X | Y] with X = Q U and V = Q^T Y, for R = [U | V].
    Expr<T> left = last(r, 0, m);
    if (dr == null) {
      return Ops.concat(-1, square(dq, null, left), last(a, m, n).times(0));
    }
    Expr<T> right = last(dr, m, n);
    Expr<T> x = square(dot(last(a, m, n), transposed(right)), last(dr, 0, m), left);
    return Ops.concat(-1, x, dot(q, right));
  }

  /** Gradient for a square R. */
  private Expr<T> square(Expr<T> dq, Expr<T> dr, Expr<T> upper) {
    Expr<T> ofR = dr == null ? null : dot(upper, transposed(dr));
    Expr<T> ofQ = dq == null ? null : dot(transposed(dq), q);
    Expr<T> m = ofR == null ? ofQ.neg() : ofQ == null ? ofR : ofR.minus(ofQ);
    Expr<T> lower = Ops.tril(m);
    Expr<T> both = dot(q, lower.plus(transposed(Ops.tril(m, -1))));
    Expr<T> inner = dq == null ? both : dq.plus(both);
    return transposed(Linalg.triangularSolve(upper, transposed(inner), false));
  }
}
