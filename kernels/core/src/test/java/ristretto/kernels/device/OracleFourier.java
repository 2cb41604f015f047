package ristretto.kernels.device;

import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** Fourier transforms, sum by sum. */
final class OracleFourier {
  private final Kernel.Fourier kernel;
  private final OracleAccess access;

  OracleFourier(Kernel.Fourier kernel, OracleAccess access) {
    this.kernel = kernel;
    this.access = access;
  }

  void run() {
    Longs results = kernel.results();
    int last = results.size() - 1;
    long n = kernel.extents().get(last);
    double[] re = new double[Math.toIntExact(results.product())];
    double[] im = new double[re.length];
    for (int k = 0; k < re.length; k++) {
      long[] at = OracleLaunch.index(results, k);
      long frequency = at[last];
      for (at[last] = 0; at[last] < n; at[last]++) {
        long turn = frequency * at[last] % n;
        double cos = cos(turn, n);
        double sin = (kernel.inverse() ? 1 : -1) * cos(4 * turn - n, 4 * n);
        double a = ((Number) access.read(kernel.re(), at, 0)).doubleValue();
        double b =
            kernel.im().isEmpty()
                ? 0
                : ((Number) access.read(kernel.im().get(), at, 0)).doubleValue();
        re[k] += kernel.scale() * (a * cos - b * sin);
        im[k] += kernel.scale() * (a * sin + b * cos);
      }
    }
    for (int k = 0; k < re.length; k++) {
      access.write(kernel.toRe(), OracleLaunch.index(results, k), k, value(re[k]));
      access.write(kernel.toIm(), OracleLaunch.index(results, k), k, value(im[k]));
    }
  }

  /** Cosine of a part of a whole turn, exact for quarters. */
  private static double cos(long part, long whole) {
    return switch (4 * part % whole == 0 ? Math.floorMod(4 * part / whole, 4) : -1) {
      case 0 -> 1;
      case 1, 3 -> 0;
      case 2 -> -1;
      default -> Math.cos(2 * Math.PI * part / whole);
    };
  }

  private Object value(double v) {
    return kernel.type() == ScalarType.F32 ? (Object) (float) v : (Object) v;
  }
}
