package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.dot;
import static ristretto.expr.linalg.Matrices.scaleColumns;
import static ristretto.expr.linalg.Matrices.scaleRows;
import static ristretto.expr.linalg.Matrices.transposed;

import ristretto.expr.Expr;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Singular value decomposition {@code A = U S V^T}. Results that one evaluation reads share a
 * decomposition. Gradients through u and vt are infinite or NaN where singular values coincide,
 * those through s are not.
 *
 * @param <T> the dtype
 */
public final class Svd<T> {
  private final Expr<T> a;
  private final Expr<T> u;
  private final Expr<T> s;
  private final Expr<T> vt;
  private final long m;
  private final long n;
  private final boolean full;

  Svd(Expr<T> a, boolean full) {
    Shapes.requireMatrix("svd", a);
    this.a = a;
    this.full = full;
    m = Shapes.rows(a);
    n = Shapes.columns(a);
    long k = Math.min(m, n);
    long p = full ? m : k;
    long q = full ? n : k;
    Shape batch = Shapes.batch(a);
    var packed =
        new MatrixOperator<>("svd", new SpectralRoutines.Svd((int) m, (int) n, full), batch, a);
    u = Matrices.of(Matrices.part(packed, 0, batch, m, p), a, this::ofLeft);
    s = Matrices.of(Matrices.part(packed, m * p, batch, k), a, this::ofValues);
    vt = Matrices.of(Matrices.part(packed, m * p + k, batch, q, n), a, this::ofRight);
  }

  /** Left singular vectors as columns: {@code [..., m, k]}, or {@code [..., m, m]} if full. */
  public Expr<T> u() {
    return u;
  }

  /** Singular values in descending order: {@code [..., k]} for k = min(m, n). */
  public Expr<T> s() {
    return s;
  }

  /** Right singular vectors as rows: {@code [..., k, n]}, or {@code [..., n, n]} if full. */
  public Expr<T> vt() {
    return vt;
  }

  private Expr<T> ofValues(Expr<T> ds) {
    if (full && m != n) {
      return new Svd<>(a, false).ofValues(ds);
    }
    return dot(scaleColumns(u, ds), vt);
  }

  private Expr<T> ofLeft(Expr<T> du) {
    requireReduced();
    Expr<T> inner = differences().times(dot(transposed(u), du));
    Expr<T> core = dot(u, scaleColumns(inner.plus(transposed(inner)), s), vt);
    if (m <= n) {
      return core;
    }
    Expr<T> scaled = du.div(s.unsqueeze(-2));
    return core.plus(dot(scaled.minus(dot(u, dot(transposed(u), scaled))), vt));
  }

  private Expr<T> ofRight(Expr<T> dvt) {
    requireReduced();
    Expr<T> inner = differences().times(dot(vt, transposed(dvt)));
    Expr<T> core = dot(u, scaleRows(s, inner.plus(transposed(inner))), vt);
    if (n <= m) {
      return core;
    }
    Expr<T> scaled = dvt.div(s.unsqueeze(-1));
    return core.plus(dot(u, scaled.minus(dot(dot(scaled, transposed(vt)), vt))));
  }

  private Expr<T> differences() {
    return Matrices.inverseDifferences(s.times(s));
  }

  private void requireReduced() {
    if (full && m != n) {
      throw new ShapeException(
          "[gradient] singular vectors of a full svd have no derivative unless matrices are square;"
              + " got "
              + a.label()
              + "; use the reduced one.");
    }
  }
}
