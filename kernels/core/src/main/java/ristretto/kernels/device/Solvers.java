package ristretto.kernels.device;

/**
 * Factorizations of matrices by a library of a device. Matrices are column-major without gaps, as
 * in LAPACK; those of a batch follow each other. Functions return LAPACK's info of each matrix: 0,
 * or a positive number for a matrix that cannot be handled. Numbers are F64 or F32; elements must
 * be finite.
 */
public interface Solvers {
  /**
   * Numbers in a buffer.
   *
   * @param start offset of the first number in bytes
   */
  record Numbers(Buffer buffer, long start) {}

  /**
   * Batch of matrices.
   *
   * @param wide true for F64, false for F32
   * @param count number of matrices
   */
  record Batch(boolean wide, int count) {
    /** Size of a number in bytes. */
    public long bytes() {
      return wide ? 8 : 4;
    }
  }

  /**
   * Returns true if the library is preferred for matrices with this smallest extent; smaller ones
   * are factorized on the host, one call for each would take longer.
   */
  boolean pays(long extent);

  /**
   * Replaces the upper triangle of {@code A[n,n]} by U with {@code A = U^T U}. Info is the order of
   * a leading minor that is not positive.
   */
  int[] cholesky(Batch batch, int n, Numbers a);

  /**
   * Factorizes {@code A[n,n] = P L U} in place. Info is the number of a pivot that is zero.
   *
   * @param pivots I32 numbers of exchanged rows, from 1 on
   */
  int[] eliminate(Batch batch, int n, Numbers a, Numbers pivots);

  /**
   * Replaces the columns of {@code B[n,k]} by the solutions of {@code A^T X = B}, and A by its
   * factors. Info is the number of a pivot that is zero.
   */
  int[] solveTransposed(Batch batch, int n, int k, Numbers a, Numbers b);

  /**
   * Replaces the columns of {@code B[n,k]} by the solutions of {@code U X = B}, or of {@code U^T X
   * = B}, for a matrix U with zeros below its diagonal.
   *
   * @param pivots I32 numbers 1 to n
   * @param info I32 status of each matrix, which is known before the call and is returned
   */
  int[] solveUpper(
      Batch batch,
      boolean transposed,
      int n,
      int k,
      Numbers u,
      Numbers pivots,
      Numbers info,
      Numbers b);

  /**
   * Factorizes {@code A[m,n] = Q R}: R replaces the upper triangle of A.
   *
   * @param q result of p columns, min(m, n) or m
   */
  int[] qr(Batch batch, int m, int n, int p, Numbers a, Numbers q);

  /**
   * Decomposes {@code A[m,n] = U S V^T} for {@code m >= n}; overwrites A. Info is the number of
   * values that did not converge.
   *
   * @param vectors 'N' for none, 'S' for n, 'A' for all
   */
  int[] singularValues(
      Batch batch, char vectors, int m, int n, Numbers a, Numbers s, Numbers u, Numbers vt);

  /**
   * Eigenvalues in ascending order of a symmetric matrix given by its upper triangle, and
   * eigenvectors as columns, which replace A if {@code vectors} is true. Info is the number of
   * values that did not converge.
   */
  int[] eigenvalues(Batch batch, boolean vectors, int n, Numbers a, Numbers w);
}
