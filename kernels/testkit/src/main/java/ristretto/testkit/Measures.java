package ristretto.testkit;

import static ristretto.expr.Ops.*;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.DeviceException;

/**
 * Performance of a device, in round numbers.
 *
 * @param copy bandwidth of copying an array in GB/s, counting bytes read and written
 * @param chain bandwidth of eight operations on two arrays in one kernel, in GB/s
 * @param gemm F32 matrix product in GFLOP/s
 * @param launch microseconds between consecutive launches of a small kernel
 */
record Measures(double copy, double chain, double gemm, double launch) {
  /** Number of elements of an array that exceeds the caches of any device. */
  private static final long ELEMENTS = 1 << 26;

  private static final long FEWEST_ELEMENTS = 1 << 20;
  private static final long LARGEST_PRODUCT = 4096;

  /** Minimum time in nanoseconds of the product that is measured. */
  private static final double LONG_NANOS = 30e6;

  private static final int ROUNDS = 5;
  private static final int LAUNCHES = 2000;

  static Measures of(Context ctx) {
    double launch = launch(ctx);
    for (long n = ELEMENTS; ; n /= 2) {
      try {
        double copy = copy(ctx, n);
        return new Measures(copy, chain(ctx, n), gemm(ctx), launch);
      } catch (DeviceException e) {
        if (n <= FEWEST_ELEMENTS) {
          throw e;
        }
      }
    }
  }

  private static double copy(Context ctx, long n) {
    Tensor<F32> x = ctx.ones(F32, n);
    Tensor<F32> y = ctx.zeros(F32, n);
    return 2 * 4.0 * n / nanos(ctx, y, x, 1);
  }

  private static double chain(Context ctx, long n) {
    Tensor<F32> a = ctx.full(F32, 0.5, n);
    Tensor<F32> b = ctx.full(F32, 0.25, n);
    Tensor<F32> y = ctx.zeros(F32, n);
    Expr<F32> chain =
        a.times(b).plus(a).times(0.5).minus(b).times(a).plus(1).div(b.times(b).plus(1));
    return 3 * 4.0 * n / nanos(ctx, y, chain, 1);
  }

  private static double gemm(Context ctx) {
    for (long n = 512; ; n *= 2) {
      Tensor<F32> a = ctx.eval(uniform(F32, 1, n, n));
      Tensor<F32> b = ctx.eval(uniform(F32, 2, n, n));
      double nanos = nanos(ctx, ctx.zeros(F32, n, n), dot(a, b), 1);
      if (nanos > LONG_NANOS || n >= LARGEST_PRODUCT) {
        return 2.0 * n * n * n / nanos;
      }
    }
  }

  private static double launch(Context ctx) {
    Tensor<F32> x = ctx.ones(F32, 64);
    return nanos(ctx, ctx.zeros(F32, 64), x.plus(1), LAUNCHES) / 1e3;
  }

  /** Minimum time per assignment over several rounds, in nanoseconds, after two warm-up rounds. */
  private static double nanos(Context ctx, Tensor<F32> target, Expr<F32> expr, int times) {
    double best = Double.POSITIVE_INFINITY;
    for (int round = -2; round < ROUNDS; round++) {
      long start = System.nanoTime();
      for (int k = 0; k < times; k++) {
        ctx.assign(target, expr);
      }
      ctx.synchronize();
      double nanos = (double) (System.nanoTime() - start) / times;
      best = round < 0 ? best : Math.min(best, nanos);
    }
    return best;
  }
}
