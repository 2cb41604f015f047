// Three operations as three kernels, each of which reads and writes memory, or as one expression
// and one kernel.
//
//   ./ristretto run examples/Sigmoid.java [--quick]

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main(String[] args) {
  boolean quick = quick(args);
  int n = quick ? 1_000_000 : 10_000_000;
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.linspace(F32, -10, 10, n);
    Tensor<F32> a = ctx.empty(F32, n);
    Tensor<F32> b = ctx.empty(F32, n);
    Tensor<F32> c = ctx.empty(F32, n);
    Tensor<F32> y = ctx.empty(F32, n);

    // Each operation is assigned to a separate tensor: three kernels.
    Runnable unfused =
        () -> {
          ctx.assign(a, exp(x.neg()));
          ctx.assign(b, a.plus(1));
          ctx.assign(c, scalar(F32, 1).div(b));
        };

    // One expression: one kernel. A lambda is one kernel, too:
    //   map(x, v -> 1f / (1f + (float) Math.exp(-v)))
    Expr<F32> sigmoid = scalar(F32, 1).div(exp(x.neg()).plus(1));
    Runnable fused = () -> ctx.assign(y, sigmoid);

    IO.println(ctx.explain(sigmoid));
    long unfusedKernels = kernels(ctx, unfused);
    long fusedKernels = kernels(ctx, fused);
    double[] seconds = bestSeconds(ctx, quick ? 2 : 3, unfused, fused);
    IO.println(
        String.format(
            Locale.ROOT, "unfused  %d kernels  %7.2f ms", unfusedKernels, 1e3 * seconds[0]));
    IO.println(
        String.format(
            Locale.ROOT, "fused    %d kernel   %7.2f ms", fusedKernels, 1e3 * seconds[1]));
    double difference = ctx.eval(max(abs(y.minus(c)))).item();
    IO.println(
        String.format(
            Locale.ROOT,
            "result: kernels_unfused=%d kernels_fused=%d speedup=%.2f difference=%.1e",
            unfusedKernels,
            fusedKernels,
            seconds[0] / seconds[1],
            difference));
  }
}

/// Number of kernels that `work` launches.
long kernels(Context ctx, Runnable work) {
  long before = ctx.stats().launches();
  work.run();
  return ctx.stats().launches() - before;
}

/// Minimum seconds of each variant. Variants take turns, so that all see the same machine load,
/// until no variant has become faster for `patience` seconds: at first the JVM is still compiling.
static double[] bestSeconds(Context ctx, double patience, Runnable... variants) {
  double[] best = new double[variants.length];
  Arrays.fill(best, Double.POSITIVE_INFINITY);
  long progress = System.nanoTime();
  while (System.nanoTime() - progress < patience * 1e9) {
    for (int k = 0; k < variants.length; k++) {
      long start = System.nanoTime();
      variants[k].run();
      ctx.synchronize();
      double seconds = (System.nanoTime() - start) / 1e9;
      if (seconds < 0.95 * best[k]) {
        progress = System.nanoTime();
      }
      best[k] = Math.min(best[k], seconds);
    }
  }
  return best;
}

/// Parses the only option, --quick; other arguments end the program with exit code 2.
boolean quick(String[] args) {
  if (args.length == 0) {
    return false;
  }
  if (args.length == 1 && args[0].equals("--quick")) {
    return true;
  }
  System.err.println("Sigmoid takes --quick or nothing; got " + String.join(" ", args));
  System.exit(2);
  return false;
}
