package ristretto.expr.linalg;

import ristretto.kernels.cpu.blas.Lapack;

/** Routines of triangular and orthogonal factors, and of least squares. */
final class FactorRoutines {
  private FactorRoutines() {}

  /** Cholesky factor of a positive definite matrix given by its lower triangle. */
  record Cholesky(int n) implements Routine {
    @Override
    public long results() {
      return (long) n * n;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      out.copyAll(in[0], results());
      int info = Lapack.potrf(out.wide(), n, out.address(), n);
      boolean finite = info == 0;
      for (int i = 0; i < n && finite; i++) {
        finite = Double.isFinite(out.get((long) i * n + i));
      }
      // NaN and infinity end in a pivot that is not positive, or infinite.
      if (!finite && !in[0].isLowerFinite(n)) {
        out.fill(Double.NaN);
        return null;
      }
      if (info > 0) {
        return notPositive(info);
      }
      out.clearUpper(n);
      return null;
    }

    static Failure notPositive(int minor) {
      return new Failure(
          "the matrix must be positive definite",
          "whose leading minor of order " + minor + " is not positive",
          "check that it is symmetric, or add a small multiple of the identity");
    }
  }

  /** Solution of {@code op(A) X = B} for a triangular matrix. */
  record Triangular(int n, int k, boolean lower, boolean transposed, boolean unit)
      implements Routine {
    @Override
    public long results() {
      return (long) n * k;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      for (int i = 0; i < n && !unit; i++) {
        if (in[0].get((long) i * n + i) == 0) {
          return Failure.singular(i + 1);
        }
      }
      out.copy(in[1], results());
      Lapack.trsm(
          out.wide(), false, lower, transposed, unit, n, k, in[0].address(), n, out.address(), k);
      return null;
    }
  }

  /**
   * Orthonormal columns and upper triangle {@code A = Q R}: {@code a[m,n] -> q[m,p], r[p,n]}, where
   * p is min(m, n), or m if full.
   */
  record Qr(int m, int n, boolean full) implements Routine {
    int columns() {
      return full ? m : Math.min(m, n);
    }

    @Override
    public long results() {
      return ((long) m + n) * columns();
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      int k = Math.min(m, n);
      int p = columns();
      if (k == 0) {
        out.identity(m, p);
        out.from((long) m * p).fill(0, (long) p * n);
        return null;
      }
      int row = Math.max(n, p);
      try (var scratch = new Scratch(out.wide(), (long) m * row + k)) {
        Reals a = scratch.take((long) m * row);
        Reals tau = scratch.take(k);
        boolean finite = true;
        for (int i = 0; i < m; i++) {
          finite &= a.from((long) i * row).copy(in[0].from((long) i * n), n);
        }
        if (!finite) {
          out.fill(Double.NaN);
          return null;
        }
        // LAPACK sees the transpose: A^T = L Q.
        Lapack.gelqf(out.wide(), n, m, a.address(), row, tau.address());
        Reals r = out.from((long) m * p);
        r.fill(0, (long) p * n);
        for (int i = 0; i < k; i++) {
          r.from((long) i * n + i).copy(a.from((long) i * row + i), n - i);
        }
        Lapack.orglq(out.wide(), p, m, k, a.address(), row, tau.address());
        for (int i = 0; i < m; i++) {
          out.from((long) i * p).copy(a.from((long) i * row), p);
        }
        return null;
      }
    }
  }

  /**
   * Least-squares solutions of minimal norm: {@code a[m,n], b[m,k] -> x[n,k]}.
   *
   * @param rcond singular values up to this multiple of the largest count as zero; negative for the
   *     rounding error
   */
  record LeastSquares(int m, int n, int k, double rcond) implements Routine {
    @Override
    public long results() {
      return (long) n * k;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      if (m == 0) {
        out.fill(0);
        return null;
      }
      int rows = Math.max(m, n);
      try (var scratch = new Scratch(out.wide(), (long) m * n + (long) rows * k + n)) {
        Reals a = scratch.take((long) m * n);
        Reals b = scratch.take((long) rows * k);
        Reals s = scratch.take(Math.min(m, n));
        boolean finite = a.copyColumns(in[0], m, n, m);
        finite &= b.copyColumns(in[1], m, k, rows);
        if (!finite) {
          out.fill(Double.NaN);
          return null;
        }
        double limit = rcond < 0 ? out.epsilon() * rows : rcond;
        int info = Lapack.gelsd(out.wide(), m, n, k, a.address(), b.address(), s.address(), limit);
        if (info > 0) {
          return Failure.notConverged(info);
        }
        for (int i = 0; i < n; i++) {
          for (int j = 0; j < k; j++) {
            out.set((long) i * k + j, b.get((long) j * rows + i));
          }
        }
        return null;
      }
    }
  }

  /**
   * Pseudo-inverse: {@code a[m,n] -> [n,m]}.
   *
   * @param rcond singular values up to this multiple of the largest count as zero; negative for the
   *     rounding error
   */
  record PseudoInverse(int m, int n, double rcond) implements Routine {
    @Override
    public long results() {
      return (long) n * m;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      int k = Math.min(m, n);
      long numbers = (long) m * k + k + (long) k * n;
      try (var scratch = new Scratch(out.wide(), numbers)) {
        Reals svd = scratch.take(numbers);
        Failure failure = new SpectralRoutines.Svd(m, n, false).run(svd, in);
        if (failure != null) {
          return failure;
        }
        Reals s = svd.from((long) m * k);
        Reals vt = s.from(k);
        double limit = s.get(0) * (rcond < 0 ? out.epsilon() * Math.max(m, n) : rcond);
        for (int i = 0; i < k; i++) {
          double value = s.get(i);
          // NaN stays NaN.
          vt.from((long) i * n).scale(value <= limit ? 0 : 1 / value, n);
        }
        Products.multiply(out, vt, true, svd, true, n, m, k);
        return null;
      }
    }
  }
}
