package ristretto.expr.linalg;

import ristretto.kernels.cpu.blas.OpenBlas;

/** Matrix products of routines, by the library. */
final class Products {
  private Products() {}

  /** Computes {@code c[m,n] = op(a) op(b)} with an inner extent of k, row-major. */
  static void multiply(
      Reals c, Reals a, boolean transposeA, Reals b, boolean transposeB, int m, int n, int k) {
    if (m == 0 || n == 0) {
      return;
    }
    if (k == 0) {
      c.fill(0, (long) m * n);
      return;
    }
    OpenBlas.gemm(
        c.wide(),
        transposeA,
        transposeB,
        m,
        n,
        k,
        1,
        a.address(),
        transposeA ? m : k,
        b.address(),
        transposeB ? k : n,
        0,
        c.address(),
        n);
  }
}
