package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.dot;
import static ristretto.expr.linalg.Matrices.symmetric;
import static ristretto.expr.linalg.Matrices.transposed;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.kernels.cpu.blas.Lapack;
import ristretto.kernels.cpu.blas.OpenBlas;

/**
 * Gradient of a Cholesky factorization: {@code l[n,n], dl[n,n] -> da[n,n]}, symmetric. Reverses the
 * factorization by halves, in about twice its time; products with the inverse of l take six times
 * as long. Source: I. Murray, Differentiation of the Cholesky decomposition (2016), section 3.
 */
record CholeskyGradient(int n) implements Routine {
  /** Rows whose factorization is reversed column by column. */
  private static final int FEW_ROWS = 24;

  /** Gradient of a matrix, for its factor l and the gradient dl, of which the triangle is read. */
  static <T> Expr<T> of(Expr<T> l, Expr<T> dl) {
    var routine = new CholeskyGradient(Shapes.rows(l));
    return new MatrixOperator<>("cholesky", routine, Shapes.batch(l), l.shape(), l, dl)
        .differentiate((da, g) -> gradients(l, dl, da, symmetric(g)));
  }

  /** The gradient by products with the factor's inverse, for devices with fast products. */
  static <T> Expr<T> byProducts(Expr<T> l, Expr<T> dl) {
    Expr<T> half = half(dot(transposed(l), Ops.tril(dl)));
    Expr<T> left = Linalg.triangularSolve(l, half, true, true, false);
    return symmetric(Linalg.triangularSolve(l, transposed(left), true, true, false));
  }

  /** Lower triangle with half of the diagonal. */
  private static <T> Expr<T> half(Expr<T> a) {
    Expr<T> diagonal = a.times(Matrices.identity(a.dtype(), a.shape().dim(-1)));
    return Ops.tril(a).minus(diagonal.times(0.5));
  }

  /** Gradients of {@code da = symmetric(l^-T half(l^T dl) l^-1)}. */
  private static <T> List<Expr<?>> gradients(Expr<T> l, Expr<T> dl, Expr<T> da, Expr<T> g) {
    Expr<T> right = transposed(Linalg.triangularSolve(l, g, true));
    Expr<T> half = half(Linalg.triangularSolve(l, right, true));
    Expr<T> ofFactor = dot(Ops.tril(dl), transposed(half)).minus(dot(da, right).times(2));
    return List.of(Ops.tril(ofFactor), Ops.tril(dot(l, half)));
  }

  @Override
  public long results() {
    return (long) n * n;
  }

  @Override
  public Failure run(Reals out, Reals... in) {
    for (int i = 0; i < n; i++) {
      long row = (long) i * n;
      out.from(row).copyAll(in[1].from(row), i + 1);
    }
    long half = n - n / 2;
    try (var scratch = new Scratch(out.wide(), half * half)) {
      reverse(in[0], out, n, scratch.take(half * half));
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        double each = out.get((long) i * n + j) / 2;
        out.set((long) i * n + j, each);
        out.set((long) j * n + i, each);
      }
    }
    return null;
  }

  /**
   * Replaces the gradient of the lower triangle of a factor by that of the matrix's triangle.
   *
   * @param l factor of {@code rows} rows at a distance of n, as is g
   * @param square memory for a square of half of the rows
   */
  private void reverse(Reals l, Reals g, int rows, Reals square) {
    if (rows <= FEW_ROWS) {
      reverse(l, g, rows);
      return;
    }
    int first = rows / 2;
    int second = rows - first;
    long corner = (long) first * n;
    Reals below = l.from(corner);
    Reals belowG = g.from(corner);
    // The last rows factorize what is left after the product of the rows below the first ones.
    Reals rest = g.from(corner + first);
    reverse(l.from(corner + first), rest, second, square);
    for (int i = 0; i < second; i++) {
      for (int j = 0; j <= i; j++) {
        double value = rest.get((long) i * n + j);
        square.set((long) i * second + j, i == j ? 2 * value : value);
        square.set((long) j * second + i, i == j ? 2 * value : value);
      }
    }
    multiply(second, first, second, -1, false, square, second, below, 1, belowG, n);
    // The rows below were divided by the factor of the first ones.
    Lapack.trsm(
        g.wide(), true, true, false, false, second, first, l.address(), n, belowG.address(), n);
    multiply(first, first, second, 1, true, belowG, n, below, 0, square, first);
    for (int i = 0; i < first; i++) {
      for (int j = 0; j <= i; j++) {
        long at = (long) i * n + j;
        g.set(at, g.get(at) - square.get((long) i * first + j));
      }
    }
    reverse(l, g, first, square);
  }

  private void multiply(
      int m,
      int columns,
      int k,
      double alpha,
      boolean transposed,
      Reals a,
      int lda,
      Reals b,
      double beta,
      Reals c,
      int ldc) {
    OpenBlas.gemm(
        a.wide(),
        transposed,
        false,
        m,
        columns,
        k,
        alpha,
        a.address(),
        lda,
        b.address(),
        n,
        beta,
        c.address(),
        ldc);
  }

  /** Reverses the factorization of a few rows, last column first. */
  private void reverse(Reals l, Reals g, int rows) {
    for (int j = rows - 1; j >= 0; j--) {
      double pivot = l.get((long) j * n + j);
      double own = g.get((long) j * n + j);
      for (int i = j + 1; i < rows; i++) {
        long at = (long) i * n + j;
        double each = g.get(at) / pivot;
        own -= l.get(at) * each;
        g.set(at, each);
      }
      own /= pivot;
      for (int k = 0; k < j; k++) {
        double factor = l.get((long) j * n + k);
        double sum = own * factor;
        for (int i = j + 1; i < rows; i++) {
          long at = (long) i * n + k;
          double each = g.get((long) i * n + j);
          sum += each * l.get(at);
          g.set(at, g.get(at) - each * factor);
        }
        g.set((long) j * n + k, g.get((long) j * n + k) - sum);
      }
      g.set((long) j * n + j, own / 2);
    }
  }
}
