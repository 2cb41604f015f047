package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.dot;
import static ristretto.expr.linalg.Matrices.last;
import static ristretto.expr.linalg.Matrices.rows;
import static ristretto.expr.linalg.Matrices.scaleRows;
import static ristretto.expr.linalg.Matrices.transposed;

import ristretto.expr.Complex;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;

/**
 * Complex eigenvalues and right eigenvectors of matrices that need not be symmetric. Results that
 * one evaluation reads share a decomposition. Eigenvalues have gradients if all are distinct;
 * eigenvectors have none.
 *
 * @param <T> the dtype
 */
public final class Eig<T> {
  private final Complex<T> values;
  private final Complex<T> vectors;

  Eig(Expr<T> a) {
    Shapes.requireSquare("eig", a);
    int n = Shapes.rows(a);
    long square = (long) n * n;
    Shape batch = Shapes.batch(a);
    var packed = new MatrixOperator<>("eig", new SpectralRoutines.General(n), batch, a);
    Expr<T> re = Matrices.part(packed, 2L * n, batch, n, n);
    Expr<T> im = Matrices.part(packed, 2L * n + square, batch, n, n);
    vectors =
        Complex.of(
            Matrices.noGradient(re, a, "eigenvectors of eig"),
            Matrices.noGradient(im, a, "eigenvectors of eig"));
    values =
        Complex.of(
            Matrices.of(Matrices.part(packed, 0, batch, n), a, dy -> gradient(dy, false)),
            Matrices.of(Matrices.part(packed, n, batch, n), a, dy -> gradient(dy, true)));
  }

  /** Eigenvalues, conjugate pairs with the positive imaginary part first: {@code [..., n]}. */
  public Complex<T> values() {
    return values;
  }

  /** Eigenvectors of length 1 as columns: {@code [..., n, n]}. */
  public Complex<T> vectors() {
    return vectors;
  }

  /** Gradient of eigenvalues: rows of the inverse of the vectors, times the vectors. */
  private Expr<T> gradient(Expr<T> dy, boolean imaginary) {
    Expr<T> re = vectors.re();
    Expr<T> im = vectors.im();
    long n = re.shape().dim(-1);
    Expr<T> both = Linalg.inv(Ops.concat(-2, Ops.concat(-1, re, im.neg()), Ops.concat(-1, im, re)));
    Expr<T> left = last(both, 0, n);
    Expr<T> ofRe = transposed(rows(left, 0, n));
    Expr<T> ofIm = transposed(rows(left, n, 2 * n));
    Expr<T> dyRe = scaleRows(dy, transposed(re));
    Expr<T> dyIm = scaleRows(dy, transposed(im));
    return imaginary
        ? dot(ofRe, dyIm).plus(dot(ofIm, dyRe))
        : dot(ofRe, dyRe).minus(dot(ofIm, dyIm));
  }
}
