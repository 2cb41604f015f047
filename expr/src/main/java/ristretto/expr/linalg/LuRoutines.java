package ristretto.expr.linalg;

import ristretto.kernels.cpu.blas.Lapack;

/**
 * Routines that factorize by elimination with row exchanges. LAPACK factorizes the transpose of a
 * row-major matrix in place: {@code A^T = P L U}.
 */
final class LuRoutines {
  private LuRoutines() {}

  /** Solution of {@code A X = B}: {@code a[n,n], b[n,k] -> x[n,k]}. */
  record Solve(int n, int k) implements Routine {
    @Override
    public long results() {
      return (long) n * k;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      try (var scratch = new Scratch(out.wide(), (long) n * n + n)) {
        Reals lu = scratch.take((long) n * n);
        var pivots = scratch.integers(n);
        if (!lu.copy(in[0], (long) n * n)) {
          out.fill(Double.NaN);
          return null;
        }
        int info = Lapack.getrf(out.wide(), n, n, lu.address(), n, pivots.address());
        if (info > 0) {
          return Failure.singular(info);
        }
        out.copy(in[1], (long) n * k);
        // Row-major: A = U^T L^T P^T, with U^T below and L^T above the diagonal.
        Lapack.trsm(out.wide(), false, true, false, false, n, k, lu.address(), n, out.address(), k);
        Lapack.trsm(out.wide(), false, false, false, true, n, k, lu.address(), n, out.address(), k);
        for (int i = n - 1; i >= 0; i--) {
          exchange(out, i, pivots.get(i) - 1, k);
        }
        return null;
      }
    }
  }

  private static void exchange(Reals rows, int i, int j, int k) {
    for (int c = 0; c < k && i != j; c++) {
      double value = rows.get((long) i * k + c);
      rows.set((long) i * k + c, rows.get((long) j * k + c));
      rows.set((long) j * k + c, value);
    }
  }

  /** Inverse: {@code a[n,n] -> [n,n]}. */
  record Inverse(int n) implements Routine {
    @Override
    public long results() {
      return (long) n * n;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      if (!out.copy(in[0], results())) {
        out.fill(Double.NaN);
        return null;
      }
      int info = invert(out, n);
      return info > 0 ? Failure.singular(info) : null;
    }
  }

  /** Inverts in place; returns the number of a pivot that is zero. */
  private static int invert(Reals a, int n) {
    try (var scratch = new Scratch(a.wide(), n)) {
      var pivots = scratch.integers(n);
      int info = Lapack.getrf(a.wide(), n, n, a.address(), n, pivots.address());
      return info > 0 ? info : Lapack.getri(a.wide(), n, a.address(), n, pivots.address());
    }
  }

  /** Sign and logarithm of the magnitude of a determinant; sign 0 for a singular matrix. */
  private record Determinant(double sign, double log, double value) {
    static final Determinant NONE = new Determinant(Double.NaN, Double.NaN, Double.NaN);

    static Determinant of(Reals a, int n) {
      try (var scratch = new Scratch(a.wide(), (long) n * n + n)) {
        Reals lu = scratch.take((long) n * n);
        var pivots = scratch.integers(n);
        if (!lu.copy(a, (long) n * n)) {
          return NONE;
        }
        if (n > 0 && Lapack.getrf(a.wide(), n, n, lu.address(), n, pivots.address()) > 0) {
          return new Determinant(0, Double.NEGATIVE_INFINITY, 0);
        }
        double sign = 1;
        double log = 0;
        double value = 1;
        for (int i = 0; i < n; i++) {
          double pivot = lu.get((long) i * n + i);
          sign *= pivots.get(i) == i + 1 ? Math.signum(pivot) : -Math.signum(pivot);
          log += Math.log(Math.abs(pivot));
          value *= Math.abs(pivot);
        }
        return new Determinant(sign, log, sign * value);
      }
    }
  }

  /** Determinant: {@code a[n,n] -> [1]}. */
  record Det(int n) implements Routine {
    @Override
    public long results() {
      return 1;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      out.set(0, Determinant.of(in[0], n).value);
      return null;
    }
  }

  /** Sign of the determinant and logarithm of its magnitude: {@code a[n,n] -> [2]}. */
  record SignLog(int n) implements Routine {
    @Override
    public long results() {
      return 2;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      Determinant det = Determinant.of(in[0], n);
      out.set(0, det.sign);
      out.set(1, det.log);
      return null;
    }
  }

  /** Matrix of cofactors, the gradient of the determinant, also of singular matrices. */
  record Cofactors(int n) implements Routine {
    @Override
    public long results() {
      return (long) n * n;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      Determinant det = Determinant.of(in[0], n);
      if (Double.isNaN(det.sign)) {
        out.fill(Double.NaN);
      } else if (det.sign == 0) {
        singular(out, in[0]);
      } else {
        // LAPACK inverts the transpose of what it reads.
        out.copyColumns(in[0], n, n, n);
        invert(out, n);
        out.scale(det.value, results());
      }
      return null;
    }

    /** The products of all singular values but one stay finite. */
    private void singular(Reals out, Reals a) {
      long square = (long) n * n;
      try (var scratch = new Scratch(out.wide(), 2 * square + n)) {
        Reals u = scratch.take(2 * square + n);
        Reals s = u.from(square);
        Reals vt = s.from(n);
        new SpectralRoutines.Svd(n, n, false).run(u, a);
        double sign = Determinant.of(u, n).sign * Determinant.of(vt, n).sign;
        for (int k = 0; k < n; k++) {
          double product = sign;
          for (int j = 0; j < n; j++) {
            product *= j == k ? 1 : s.get(j);
          }
          vt.from((long) k * n).scale(product, n);
        }
        Products.multiply(out, u, false, vt, false, n, n, n);
      }
    }
  }

  /** Factors {@code A = P L U}: {@code a[m,n] -> p[m,m], l[m,k], u[k,n]} for k = min(m, n). */
  record Factors(int m, int n) implements Routine {
    @Override
    public long results() {
      long k = Math.min(m, n);
      return (long) m * m + m * k + k * n;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      int k = Math.min(m, n);
      try (var scratch = new Scratch(out.wide(), (long) m * n + k)) {
        Reals lu = scratch.take((long) m * n);
        var pivots = scratch.integers(k);
        if (!lu.copyColumns(in[0], m, n, m)) {
          out.fill(Double.NaN);
          return null;
        }
        if (k > 0) {
          Lapack.getrf(out.wide(), m, n, lu.address(), m, pivots.address());
        }
        int[] rows = new int[m];
        for (int i = 0; i < m; i++) {
          rows[i] = i;
        }
        for (int i = 0; i < k; i++) {
          int j = pivots.get(i) - 1;
          int row = rows[i];
          rows[i] = rows[j];
          rows[j] = row;
        }
        out.fill(0);
        for (int i = 0; i < m; i++) {
          out.set((long) rows[i] * m + i, 1);
        }
        Reals l = out.from((long) m * m);
        Reals u = l.from((long) m * k);
        for (int i = 0; i < m; i++) {
          for (int j = 0; j < Math.min(i, k); j++) {
            l.set((long) i * k + j, lu.get((long) j * m + i));
          }
          if (i < k) {
            l.set((long) i * k + i, 1);
          }
          for (int j = i; j < n && i < k; j++) {
            u.set((long) i * n + j, lu.get((long) j * m + i));
          }
        }
        return null;
      }
    }
  }
}
