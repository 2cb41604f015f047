package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.dot;
import static ristretto.expr.linalg.Matrices.last;
import static ristretto.expr.linalg.Matrices.rows;
import static ristretto.expr.linalg.Matrices.transposed;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;

/**
 * Factors {@code A = P L U} of elimination with row exchanges. Results that one evaluation reads
 * share a factorization.
 *
 * @param <T> the dtype
 */
public final class Lu<T> {
  private final Expr<T> p;
  private final Expr<T> l;
  private final Expr<T> u;
  private final long m;
  private final long n;

  Lu(Expr<T> a) {
    Shapes.requireMatrix("lu", a);
    int rows = Shapes.rows(a);
    int columns = Shapes.columns(a);
    m = rows;
    n = columns;
    long k = Math.min(m, n);
    Shape batch = Shapes.batch(a);
    var packed = new MatrixOperator<>("lu", new LuRoutines.Factors(rows, columns), batch, a);
    p = Ops.stopGradient(Matrices.part(packed, 0, batch, m, m));
    l = Matrices.of(Matrices.part(packed, m * m, batch, m, k), a, this::ofLower);
    u = Matrices.of(Matrices.part(packed, m * m + m * k, batch, k, n), a, this::ofUpper);
  }

  /** Permutation matrix of the rows: {@code [..., m, m]}. */
  public Expr<T> p() {
    return p;
  }

  /** Lower triangle with a diagonal of ones: {@code [..., m, k]} for k = min(m, n). */
  public Expr<T> l() {
    return l;
  }

  /** Upper triangle: {@code [..., k, n]} for k = min(m, n). */
  public Expr<T> u() {
    return u;
  }

  private Expr<T> ofLower(Expr<T> dl) {
    long k = Math.min(m, n);
    Expr<T> core = Ops.tril(dot(transposed(rows(l, 0, k)), rows(dl, 0, k)), -1);
    if (m <= n) {
      return dot(p, padded(core(core)));
    }
    Expr<T> below = rows(dl, k, m);
    core = core.minus(Ops.triu(dot(transposed(rows(l, k, m)), below)));
    return dot(p, Ops.concat(-2, core(core), overUpper(below)));
  }

  private Expr<T> ofUpper(Expr<T> du) {
    long k = Math.min(m, n);
    Expr<T> core = Ops.triu(dot(last(du, 0, k), transposed(last(u, 0, k))));
    if (m >= n) {
      return dot(p, padded(core(core)));
    }
    Expr<T> beside = last(du, k, n);
    core = core.minus(Ops.tril(dot(beside, transposed(last(u, k, n))), -1));
    return dot(p, Ops.concat(-1, core(core), overLower(beside)));
  }

  /** Gradient of the leading square block. */
  private Expr<T> core(Expr<T> inner) {
    return overUpper(overLower(inner));
  }

  /** {@code L^-T x} with the leading square block of L. */
  private Expr<T> overLower(Expr<T> x) {
    Expr<T> square = rows(l, 0, Math.min(m, n));
    return Linalg.triangularSolve(square, x, true, true, true);
  }

  /** {@code x U^-T} with the leading square block of U. */
  private Expr<T> overUpper(Expr<T> x) {
    Expr<T> square = last(u, 0, Math.min(m, n));
    return transposed(Linalg.triangularSolve(square, transposed(x), false));
  }

  /** Zeros below and beside the leading square block. */
  private Expr<T> padded(Expr<T> square) {
    long[] amounts = new long[2 * square.shape().rank()];
    long k = Math.min(m, n);
    amounts[amounts.length - 3] = m - k;
    amounts[amounts.length - 1] = n - k;
    return Ops.pad(square, amounts);
  }
}
