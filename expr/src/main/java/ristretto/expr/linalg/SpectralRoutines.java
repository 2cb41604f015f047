package ristretto.expr.linalg;

import ristretto.kernels.cpu.blas.Lapack;

/** Routines of singular values and eigenvalues. */
final class SpectralRoutines {
  private SpectralRoutines() {}

  /**
   * Singular value decomposition {@code A = U S V^T}: {@code a[m,n] -> u[m,p], s[k], vt[q,n]} for k
   * = min(m, n), where p and q are k, or m and n if full.
   */
  record Svd(int m, int n, boolean full) implements Routine {
    @Override
    public long results() {
      long k = Math.min(m, n);
      return m * (full ? m : k) + k + (full ? n : k) * n;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      int k = Math.min(m, n);
      int p = full ? m : k;
      int q = full ? n : k;
      Reals s = out.from((long) m * p);
      Reals vt = s.from(k);
      if (k == 0) {
        out.identity(m, p);
        vt.identity(q, n);
        return null;
      }
      int pitch = pitch(out.wide(), n);
      try (var scratch = new Scratch(out.wide(), (long) m * pitch)) {
        Reals a = scratch.take((long) m * pitch);
        if (!a.copyRows(in[0], m, n, pitch)) {
          out.fill(Double.NaN);
          return null;
        }
        // LAPACK decomposes the transpose: its U is our V, and column-major.
        int info =
            Lapack.gesdd(
                out.wide(),
                full ? 'A' : 'S',
                n,
                m,
                a.address(),
                pitch,
                s.address(),
                vt.address(),
                n,
                out.address(),
                p);
        return info > 0 ? Failure.notConverged(info) : null;
      }
    }
  }

  /** Distance of rows of n numbers; rows of 2 or 4 KiB would compete for few sets of a cache. */
  private static int pitch(boolean wide, int n) {
    int line = wide ? 8 : 16;
    return n % (32 * line) == 0 ? n + line : n;
  }

  /** Singular values: {@code a[m,n] -> s[k]}. */
  record SingularValues(int m, int n) implements Routine {
    @Override
    public long results() {
      return Math.min(m, n);
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      int pitch = pitch(out.wide(), n);
      try (var scratch = new Scratch(out.wide(), (long) m * pitch)) {
        Reals a = scratch.take((long) m * pitch);
        if (!a.copyRows(in[0], m, n, pitch)) {
          out.fill(Double.NaN);
          return null;
        }
        int info =
            Lapack.gesdd(
                out.wide(), 'N', n, m, a.address(), pitch, out.address(), 0, n, 0, (int) results());
        return info > 0 ? Failure.notConverged(info) : null;
      }
    }
  }

  /**
   * Eigenvalues of a symmetric matrix given by its lower triangle, and eigenvectors as rows: {@code
   * a[n,n] -> w[n], vt[n,n]}.
   */
  record Symmetric(int n, boolean vectors) implements Routine {
    @Override
    public long results() {
      return vectors ? n + (long) n * n : n;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      try (var scratch = new Scratch(out.wide(), vectors ? 0 : (long) n * n)) {
        Reals a = vectors ? out.from(n) : scratch.take((long) n * n);
        if (!a.copyLower(in[0], n)) {
          out.fill(Double.NaN);
          return null;
        }
        int info = Lapack.syevd(out.wide(), vectors, n, a.address(), out.address());
        return info > 0 ? Failure.notConverged(info) : null;
      }
    }
  }

  /**
   * Complex eigenvalues and right eigenvectors as columns: {@code a[n,n] -> re[n], im[n], re[n,n],
   * im[n,n]}.
   */
  record General(int n) implements Routine {
    @Override
    public long results() {
      return 2L * n + 2L * n * n;
    }

    @Override
    public Failure run(Reals out, Reals... in) {
      long square = (long) n * n;
      try (var scratch = new Scratch(out.wide(), 2 * square)) {
        Reals a = scratch.take(square);
        Reals v = scratch.take(square);
        if (!a.copyColumns(in[0], n, n, n)) {
          out.fill(Double.NaN);
          return null;
        }
        Reals im = out.from(n);
        int info =
            Lapack.geev(out.wide(), n, a.address(), out.address(), im.address(), v.address());
        if (info > 0) {
          return Failure.notConverged(info);
        }
        Reals re = im.from(n);
        vectors(v, im, re, re.from(square));
        return null;
      }
    }

    /** Unpacks pairs of columns: the real and the imaginary part of conjugate vectors. */
    private void vectors(Reals v, Reals values, Reals re, Reals im) {
      for (int j = 0; j < n; j++) {
        boolean isPair = values.get(j) != 0;
        for (int i = 0; i < n; i++) {
          long at = (long) i * n + j;
          re.set(at, v.get((long) j * n + i));
          im.set(at, isPair ? v.get((long) (j + 1) * n + i) : 0);
          if (isPair) {
            re.set(at + 1, re.get(at));
            im.set(at + 1, -im.get(at));
          }
        }
        j += isPair ? 1 : 0;
      }
    }
  }
}
