package ristretto.expr.linalg;

import static ristretto.expr.linalg.Matrices.dot;
import static ristretto.expr.linalg.Matrices.transposed;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Linear algebra with the semantics of {@code numpy.linalg}, for F32 and F64. Matrices are the last
 * two axes; leading axes are a batch and broadcast. Functions are operators that run LAPACK on the
 * host when an expression is evaluated, or cuSOLVER for large matrices on a GPU. A matrix with NaN
 * or infinity gives NaN in all elements of its results, without an error.
 */
public final class Linalg {
  private Linalg() {}

  // Solutions

  /**
   * Solution of {@code a x = b}: {@code a[..., n, n], b[..., n, k] -> x[..., n, k]}, or {@code b[n]
   * -> x[..., n]}. Several right sides of one matrix share its factorization.
   *
   * @throws LinalgException on evaluation, if a matrix is singular
   */
  public static <T> Expr<T> solve(Expr<T> a, Expr<T> b) {
    Shapes.requireSquare("solve", a);
    Expr<T> right = Shapes.rightSide("solve", a, b);
    if (Shapes.rank(a) == 0 && Shapes.rank(right) > 0) {
      return solveTogether(a, right);
    }
    Shape batch = Shapes.batch("solve", a, right);
    int n = Shapes.rows(a);
    int k = Shapes.columns(right);
    var routine = new LuRoutines.Solve(n, k);
    Shape shape = Shapes.with(batch, n, k);
    Expr<T> solution =
        new MatrixOperator<>("solve", routine, batch, shape, a, right)
            .differentiate((x, dx) -> {
              Expr<T> db = solve(transposed(a), dx);
              return List.of(dot(db, transposed(x)).neg(), db);
            });
    return Shapes.likeRightSide(solution, b);
  }

  /** Solves with one matrix for the right sides of a batch, as columns of one right side. */
  private static <T> Expr<T> solveTogether(Expr<T> a, Expr<T> right) {
    int rank = right.shape().rank();
    long[] dims = right.shape().toArray();
    int[] forth = new int[rank];
    int[] back = new int[rank];
    long[] rowsFirst = new long[rank];
    long columns = 1;
    for (int d = 0; d < rank; d++) {
      forth[d] = d == 0 ? rank - 2 : d == rank - 1 ? d : d - 1;
      back[forth[d]] = d;
      rowsFirst[d] = dims[forth[d]];
      columns *= d == 0 ? 1 : rowsFirst[d];
    }
    Expr<T> together = right.permute(forth).reshape(rowsFirst[0], columns);
    return solve(a, together).reshape(rowsFirst).permute(back);
  }

  /**
   * Solution of {@code l x = b} for a triangular matrix, whose other triangle is not read: {@code
   * l[..., n, n], b[..., n, k] -> x[..., n, k]}, or {@code b[n] -> x[..., n]}.
   *
   * @param lower true if the lower triangle is read, false for the upper
   * @throws LinalgException on evaluation, if an element of the diagonal is zero
   */
  public static <T> Expr<T> triangularSolve(Expr<T> l, Expr<T> b, boolean lower) {
    return triangularSolve(l, b, lower, false, false);
  }

  /**
   * Solution of {@code l x = b}, or of {@code transpose(l) x = b}, for a triangular matrix.
   *
   * @param lower true if the lower triangle of l is read, false for the upper
   * @param transposed true to solve with the transpose of l
   * @param unit true for a diagonal of ones, which is not read
   * @throws LinalgException on evaluation, if an element of the diagonal is zero and unit is false
   */
  public static <T> Expr<T> triangularSolve(
      Expr<T> l, Expr<T> b, boolean lower, boolean transposed, boolean unit) {
    Shapes.requireSquare("triangularSolve", l);
    Expr<T> right = Shapes.rightSide("triangularSolve", l, b);
    Shape batch = Shapes.batch("triangularSolve", l, right);
    int n = Shapes.rows(l);
    int k = Shapes.columns(right);
    var routine = new FactorRoutines.Triangular(n, k, lower, transposed, unit);
    Shape shape = Shapes.with(batch, n, k);
    Expr<T> solution =
        new MatrixOperator<>("triangularSolve", routine, batch, shape, l, right)
            .differentiate((x, dx) -> {
              Expr<T> db = triangularSolve(l, dx, lower, !transposed, unit);
              Expr<T> dl = transposed ? dot(x, transposed(db)).neg() : dot(db, transposed(x)).neg();
              int diagonal = unit ? 1 : 0;
              return List.of(lower ? Ops.tril(dl, -diagonal) : Ops.triu(dl, diagonal), db);
            });
    return Shapes.likeRightSide(solution, b);
  }

  /**
   * Least-squares solution of {@code a x = b} of minimal norm: {@code a[..., m, n], b[..., m, k] ->
   * x[..., n, k]}, or {@code b[m] -> x[..., n]}. Singular values up to the rounding error, times
   * the largest singular value and the larger extent, count as zero. NumPy's residuals are {@code
   * b.minus(dot(a, x))}, its rank {@link #matrixRank}.
   *
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Expr<T> lstsq(Expr<T> a, Expr<T> b) {
    return lstsq(a, b, -1);
  }

  /**
   * Least-squares solution of minimal norm, where singular values up to {@code rcond} times the
   * largest count as zero; see {@link #lstsq(Expr, Expr)}. A negative number stands for the
   * default.
   */
  public static <T> Expr<T> lstsq(Expr<T> a, Expr<T> b, double rcond) {
    Shapes.requireMatrix("lstsq", a);
    Expr<T> right = Shapes.rightSide("lstsq", a, b);
    Shape batch = Shapes.batch("lstsq", a, right);
    int n = Shapes.columns(a);
    int k = Shapes.columns(right);
    var routine = new FactorRoutines.LeastSquares(Shapes.rows(a), n, k, rcond);
    Shape shape = Shapes.with(batch, n, k);
    Expr<T> solution =
        new MatrixOperator<>("lstsq", routine, batch, shape, a, right)
            .differentiate((x, dx) -> {
              Expr<T> db = lstsq(transposed(a), dx, rcond);
              Expr<T> residual = right.minus(dot(a, x));
              Expr<T> outside = dx.minus(dot(transposed(a), db));
              Expr<T> da =
                  dot(residual, transposed(lstsq(a, db, rcond)))
                      .minus(dot(db, transposed(x)))
                      .plus(dot(lstsq(transposed(a), x, rcond), transposed(outside)));
              return List.of(da, db);
            });
    return Shapes.likeRightSide(solution, b);
  }

  /**
   * Inverse: {@code a[..., n, n] -> [..., n, n]}. {@link #solve} is faster and more accurate.
   *
   * @throws LinalgException on evaluation, if a matrix is singular
   */
  public static <T> Expr<T> inv(Expr<T> a) {
    Shapes.requireSquare("inv", a);
    var routine = new LuRoutines.Inverse(Shapes.rows(a));
    return new MatrixOperator<>("inv", routine, Shapes.batch(a), a.shape(), a)
        .differentiate((y, dy) -> List.of(dot(transposed(y), dy, transposed(y)).neg()));
  }

  /**
   * Pseudo-inverse of Moore and Penrose: {@code a[..., m, n] -> [..., n, m]}. Singular values up to
   * the rounding error, times the largest singular value and the larger extent, count as zero.
   *
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Expr<T> pinv(Expr<T> a) {
    return pinv(a, -1);
  }

  /**
   * Pseudo-inverse, where singular values up to {@code rcond} times the largest count as zero. A
   * negative number stands for the default of {@link #pinv(Expr)}.
   */
  public static <T> Expr<T> pinv(Expr<T> a, double rcond) {
    Shapes.requireMatrix("pinv", a);
    int m = Shapes.rows(a);
    int n = Shapes.columns(a);
    Shape batch = Shapes.batch(a);
    var routine = new FactorRoutines.PseudoInverse(m, n, rcond);
    return new MatrixOperator<>("pinv", routine, batch, Shapes.with(batch, n, m), a)
        .differentiate((p, dp) -> {
          Expr<T> pt = transposed(p);
          Expr<T> dpt = transposed(dp);
          Expr<T> left = dot(dot(dpt, p), pt);
          Expr<T> right = dot(dot(pt, p), dpt);
          return List.of(
              left.minus(dot(a, dot(p, left)))
                  .plus(right.minus(dot(dot(right, p), a)))
                  .minus(dot(pt, dp, pt)));
        });
  }

  // Determinants

  /** Determinant: {@code a[..., n, n] -> [...]}. The gradient is that of singular matrices too. */
  public static <T> Expr<T> det(Expr<T> a) {
    Shapes.requireSquare("det", a);
    Shape batch = Shapes.batch(a);
    return new MatrixOperator<>("det", new LuRoutines.Det(Shapes.rows(a)), batch, batch, a)
        .differentiate((_, dy) -> List.of(cofactors(a).times(dy.unsqueeze(-1).unsqueeze(-1))));
  }

  /** Cofactors {@code det(a) a^-T}; their own gradient is that of regular matrices. */
  private static <T> Expr<T> cofactors(Expr<T> a) {
    var routine = new LuRoutines.Cofactors(Shapes.rows(a));
    return new MatrixOperator<>("det", routine, Shapes.batch(a), a.shape(), a)
        .differentiate((c, dc) -> {
          Expr<T> inverse = transposed(inv(a));
          Expr<T> scale = Ops.sum(c.times(dc), -2, -1).keepDims();
          return List.of(inverse.times(scale).minus(dot(c, transposed(dc), inverse)));
        });
  }

  /** Sign of the determinant and logarithm of its magnitude: {@code a[..., n, n] -> [...]}. */
  public static <T> SlogDet<T> slogdet(Expr<T> a) {
    return new SlogDet<>(a);
  }

  // Factorizations

  /**
   * Lower triangle L with {@code a = L transpose(L)}: {@code a[..., n, n] -> [..., n, n]}. Reads
   * the lower triangle of a only; the gradient is symmetric.
   *
   * @throws LinalgException on evaluation, if a matrix is not positive definite
   */
  public static <T> Expr<T> cholesky(Expr<T> a) {
    Shapes.requireSquare("cholesky", a);
    var routine = new FactorRoutines.Cholesky(Shapes.rows(a));
    return new MatrixOperator<>("cholesky", routine, Shapes.batch(a), a.shape(), a)
        .differentiate((l, dl) -> List.of(CholeskyGradient.of(l, dl)));
  }

  /** Factors of elimination with row exchanges: {@code a[..., m, n]}. */
  public static <T> Lu<T> lu(Expr<T> a) {
    return new Lu<>(a);
  }

  /** Reduced QR factorization: {@code a[..., m, n]}. */
  public static <T> Qr<T> qr(Expr<T> a) {
    return new Qr<>(a, false);
  }

  /**
   * QR factorization: {@code a[..., m, n]}.
   *
   * @param full true for m columns of q, NumPy's mode "complete"; false for min(m, n)
   */
  public static <T> Qr<T> qr(Expr<T> a, boolean full) {
    return new Qr<>(a, full);
  }

  /**
   * Reduced singular value decomposition: {@code a[..., m, n]}.
   *
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Svd<T> svd(Expr<T> a) {
    return new Svd<>(a, false);
  }

  /**
   * Singular value decomposition: {@code a[..., m, n]}.
   *
   * @param full true for m columns of u and n rows of vt, NumPy's default; false for min(m, n)
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Svd<T> svd(Expr<T> a, boolean full) {
    return new Svd<>(a, full);
  }

  /**
   * Singular values in descending order, without vectors: {@code a[..., m, n] -> [..., min(m, n)]}.
   *
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Expr<T> svdvals(Expr<T> a) {
    Shapes.requireMatrix("svdvals", a);
    Shape batch = Shapes.batch(a);
    var routine = new SpectralRoutines.SingularValues(Shapes.rows(a), Shapes.columns(a));
    return new MatrixOperator<>("svdvals", routine, batch, a)
        .differentiate((_, ds) -> {
          Svd<T> svd = svd(a);
          return List.of(dot(Matrices.scaleColumns(svd.u(), ds), svd.vt()));
        });
  }

  // Eigenvalues

  /**
   * Eigenvalues and eigenvectors of symmetric matrices {@code a[..., n, n]}, of which the lower
   * triangle is read.
   *
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Eigh<T> eigh(Expr<T> a) {
    return new Eigh<>(a);
  }

  /**
   * Eigenvalues of symmetric matrices in ascending order, without vectors: {@code a[..., n, n] ->
   * [..., n]}. Reads the lower triangle.
   *
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Expr<T> eigvalsh(Expr<T> a) {
    Shapes.requireSquare("eigvalsh", a);
    var routine = new SpectralRoutines.Symmetric(Shapes.rows(a), false);
    return new MatrixOperator<>("eigvalsh", routine, Shapes.batch(a), a)
        .differentiate((_, dw) -> {
          Expr<T> v = eigh(a).vectors();
          return List.of(dot(Matrices.scaleColumns(v, dw), transposed(v)));
        });
  }

  /**
   * Complex eigenvalues and eigenvectors of matrices {@code a[..., n, n]}.
   *
   * @throws LinalgException on evaluation, if the iteration does not converge
   */
  public static <T> Eig<T> eig(Expr<T> a) {
    return new Eig<>(a);
  }

  // Norms and numbers

  /** Euclidean norm of all elements, of any rank: {@code a[...] -> []}. */
  public static <T> Expr<T> norm(Expr<T> a) {
    return Norms.ofAll(a);
  }

  /**
   * Norm of vectors along one axis, of matrices along two, or of a whole vector or matrix without
   * axes.
   *
   * @param ord of vectors any number p, infinities and 0 (number of nonzero elements) among them;
   *     of matrices 1 or -1 (largest and smallest sum of a column), infinities (of a row), 2 or -2
   *     (largest and smallest singular value)
   */
  public static <T> Expr<T> norm(Expr<T> a, double ord, int... axes) {
    return Norms.of(a, ord, axes);
  }

  /**
   * Norm of matrices along two axes, or of a whole matrix without axes.
   *
   * @param ord "fro" for the Euclidean norm of the elements, "nuc" for the sum of singular values
   */
  public static <T> Expr<T> norm(Expr<T> a, String ord, int... axes) {
    return Norms.of(a, ord, axes);
  }

  /**
   * Number of singular values above the rounding error, times the largest singular value and the
   * larger extent: {@code a[..., m, n] -> [...]}. 0 for a matrix with NaN or infinity.
   */
  public static <T> Expr<I64> matrixRank(Expr<T> a) {
    return Norms.rank(a, -1);
  }

  /** Number of singular values above a tolerance: {@code a[..., m, n] -> [...]}. */
  public static <T> Expr<I64> matrixRank(Expr<T> a, double tolerance) {
    return Norms.rank(a, tolerance);
  }

  /** Quotient of the largest and the smallest singular value: {@code a[..., m, n] -> [...]}. */
  public static <T> Expr<T> cond(Expr<T> a) {
    return Norms.condition(a);
  }

  /**
   * Condition number {@code norm(a, ord) norm(inv(a), ord)}, for orders of matrix norms.
   *
   * @throws LinalgException on evaluation, if a matrix is singular and the order is not 2 or -2
   */
  public static <T> Expr<T> cond(Expr<T> a, double ord) {
    return Norms.condition(a, ord);
  }

  // Functions

  /**
   * Exponential of matrices: {@code a[..., n, n] -> [..., n, n]}, by scaling and squaring of a Pade
   * approximant whose degree depends on the norm.
   */
  public static <T> Expr<T> expm(Expr<T> a) {
    Shapes.requireSquare("expm", a);
    long n = Shapes.rows(a);
    var routine = new Exponential((int) n);
    return new MatrixOperator<>("expm", routine, Shapes.batch(a), a.shape(), a)
        .differentiate((_, dy) -> {
          // The block beside the diagonal is the derivative along dy.
          Expr<T> at = transposed(a);
          Expr<T> wide = dy.expand(at.shape().toArray());
          Expr<T> below = Ops.concat(-1, at.times(0), at);
          Expr<T> block = expm(Ops.concat(-2, Ops.concat(-1, at, wide), below));
          return List.of(Matrices.last(Matrices.rows(block, 0, n), n, 2 * n));
        });
  }

  /**
   * Product of a matrix with itself, {@code exponent} times: {@code a[..., n, n] -> [..., n, n]}.
   * Negative exponents invert; 0 gives the identity.
   */
  public static <T> Expr<T> matrixPower(Expr<T> a, long exponent) {
    Shapes.requireSquare("matrixPower", a);
    if (exponent == 0) {
      return Matrices.identity(a.dtype(), a.shape().dim(-1)).expand(a.shape().toArray());
    }
    if (exponent == Long.MIN_VALUE) {
      throw new ShapeException(
          "[matrixPower] the exponent must be above -2^63; got " + exponent + ".");
    }
    Expr<T> square = exponent < 0 ? inv(a) : a;
    Expr<T> result = null;
    for (long rest = Math.abs(exponent); rest > 0; rest >>= 1) {
      if ((rest & 1) != 0) {
        result = result == null ? square : dot(result, square);
      }
      square = rest > 1 ? dot(square, square) : square;
    }
    return result;
  }

  /**
   * Kronecker product: blocks of b, scaled by the elements of a; {@code a[m, n], b[p, q] -> [m p, n
   * q]}, and so for each axis of any rank. Missing leading axes have extent 1.
   */
  public static <T> Expr<T> kron(Expr<T> a, Expr<T> b) {
    int rank = Math.max(a.shape().rank(), b.shape().rank());
    long[] left = new long[2 * rank];
    long[] right = new long[2 * rank];
    long[] dims = new long[rank];
    Arrays.fill(left, 1);
    Arrays.fill(right, 1);
    for (int d = 1; d <= rank; d++) {
      int at = rank - d;
      left[2 * at] = d <= a.shape().rank() ? a.shape().dim(-d) : 1;
      right[2 * at + 1] = d <= b.shape().rank() ? b.shape().dim(-d) : 1;
      dims[at] = left[2 * at] * right[2 * at + 1];
    }
    return a.reshape(left).times(b.reshape(right)).reshape(dims);
  }
}
