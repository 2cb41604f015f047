package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.dot;
import static ristretto.expr.linalg.Matrices.scaleColumns;
import static ristretto.expr.linalg.Matrices.symmetric;
import static ristretto.expr.linalg.Matrices.transposed;

import ristretto.expr.Expr;
import ristretto.expr.type.Shape;

/**
 * Eigenvalues and eigenvectors of symmetric matrices. Results that one evaluation reads share a
 * decomposition. Gradients are symmetric; those through the vectors are infinite or NaN where
 * eigenvalues coincide.
 *
 * @param <T> the dtype
 */
public final class Eigh<T> {
  private final Expr<T> values;
  private final Expr<T> vectors;

  Eigh(Expr<T> a) {
    Shapes.requireSquare("eigh", a);
    int n = Shapes.rows(a);
    Shape batch = Shapes.batch(a);
    var packed = new MatrixOperator<>("eigh", new SpectralRoutines.Symmetric(n, true), batch, a);
    values = Matrices.of(Matrices.part(packed, 0, batch, n), a, this::ofValues);
    Expr<T> rows = Matrices.part(packed, n, batch, n, n);
    vectors = Matrices.of(transposed(rows), a, this::ofVectors);
  }

  /** Eigenvalues in ascending order: {@code [..., n]}. */
  public Expr<T> values() {
    return values;
  }

  /** Orthonormal eigenvectors as columns: {@code [..., n, n]}. */
  public Expr<T> vectors() {
    return vectors;
  }

  private Expr<T> ofValues(Expr<T> dw) {
    return dot(scaleColumns(vectors, dw), transposed(vectors));
  }

  private Expr<T> ofVectors(Expr<T> dv) {
    Expr<T> inner = Matrices.inverseDifferences(values).times(dot(transposed(vectors), dv));
    return symmetric(dot(vectors, inner, transposed(vectors)));
  }
}
