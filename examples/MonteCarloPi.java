// Estimates pi as four times the fraction of random points of the unit square that lie in the
// quarter circle.
//
// Random numbers are expressions: each number is computed from the seed and its position, in the
// kernel that uses it. So generating, testing and counting a hundred million points is one kernel
// that writes only the result to memory.
//
//   ./ristretto run examples/MonteCarloPi.java [--quick]

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main(String[] args) {
  boolean quick = quick(args);
  long n = quick ? 10_000_000 : 200_000_000;
  try (var ctx = Context.open()) {
    Expr<F32> x = uniform(F32, 1, n);
    Expr<F32> y = uniform(F32, 2, n);
    Expr<BOOL> inside = x.times(x).plus(y.times(y)).lt(1);
    Expr<I64> hits = sum(inside.cast(I64));

    IO.println(ctx.explain(hits));
    Tensor<I64> count = ctx.empty(I64);
    ctx.assign(count, sum(uniform(F32, 1, 1000).lt(0.5).cast(I64))); // wakes the engine up
    Stats before = ctx.stats();
    long start = System.nanoTime();
    ctx.assign(count, hits);
    double pi = 4 * count.item() / n;
    double seconds = (System.nanoTime() - start) / 1e9;
    Stats after = ctx.stats();

    long kernels = after.launches() - before.launches();
    long bytes = after.bytesAllocated() - before.bytesAllocated();
    IO.println(String.format(Locale.ROOT, "%,d points in %.2f s", n, seconds));
    IO.println(
        String.format(
            Locale.ROOT,
            "pi is about %.6f (off by %.6f; one standard deviation is %.6f)",
            pi,
            Math.abs(pi - Math.PI),
            Math.sqrt(Math.PI * (4 - Math.PI) / n)));
    IO.println(
        String.format(
            Locale.ROOT,
            "result: pi=%.6f error=%.6f kernels=%d bytes_allocated=%d points_per_second=%.3e",
            pi,
            Math.abs(pi - Math.PI),
            kernels,
            bytes,
            n / seconds));
  }
}

/// Parses the only option, --quick; other arguments end the program with exit code 2.
boolean quick(String[] args) {
  if (args.length == 0) {
    return false;
  }
  if (args.length == 1 && args[0].equals("--quick")) {
    return true;
  }
  System.err.println("MonteCarloPi takes --quick or nothing; got " + String.join(" ", args));
  System.exit(2);
  return false;
}
