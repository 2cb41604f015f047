// K-means clustering: assigns each point to its nearest center and moves each center to the mean of
// its points, until no center moves.
//
// The distances between points and centers are never stored: their computation and the search for
// the nearest center are one kernel. The sum of a cluster is a `scatterAdd` of its points.
//
//   ./ristretto run examples/KMeans.java [--quick]

import module ristretto.expr;
import static ristretto.expr.Ops.*;

static final float[][] CLOUDS = {
  {0, 0}, {4, 1}, {1, 5}, {-3, 3}, {-4, -2}, {2, -4}, {6, -3}, {5, 5}
};
static final double SPREAD = 0.5;

void main(String[] args) {
  int n = quick(args) ? 20_000 : 1_000_000;
  int k = CLOUDS.length;
  try (var ctx = Context.open()) {
    Tensor<F32> clouds = ctx.tensor(CLOUDS);
    Tensor<I32> cloud = ctx.eval(ctx.arange(I32, n).rem(k));
    Tensor<F32> points = ctx.eval(take(clouds, cloud, 0).plus(normal(F32, 1, n, 2).times(SPREAD)));

    Tensor<F32> centers = farApart(ctx, points.slice(range(0, 8 * k)), k);
    Tensor<I64> nearest = ctx.zeros(I64, n);
    Tensor<F32> moved = ctx.empty(F32, k, 2);
    Expr<F32> size = scatterAdd(Shape.of(k), 0, nearest, fill(F32, 1, n));
    Expr<F32> total = scatterAdd(Shape.of(k, 2), 0, nearest, points);
    Expr<F32> means = total.div(max(size, 1f).unsqueeze(1));

    IO.println(ctx.explain(nearest, argMin(distances(points, centers), 1)));
    long launches = ctx.stats().launches();
    long start = System.nanoTime();
    int rounds = 0;
    double step = Double.POSITIVE_INFINITY;
    while (step > 1e-4 && rounds < 100) {
      ctx.assign(nearest, argMin(distances(points, centers), 1));
      ctx.assign(moved, means);
      step = ctx.eval(max(abs(moved.minus(centers)))).item();
      ctx.assign(centers, moved);
      rounds++;
      IO.println(String.format(Locale.ROOT, "round %2d  centers moved by %.5f", rounds, step));
    }
    double ms = (System.nanoTime() - start) / 1e6 / rounds;
    long kernels = (ctx.stats().launches() - launches) / rounds;

    double error = Math.sqrt(ctx.eval(max(min(distances(clouds, centers), 1))).item());
    IO.println(centers);
    IO.println(
        String.format(
            Locale.ROOT,
            "%,d points, %d centers: %.2f ms and %d kernels a round",
            n,
            k,
            ms,
            kernels));
    IO.println(
        String.format(
            Locale.ROOT,
            "result: rounds=%d center_error=%.5f kernels=%d ms_per_round=%.3f",
            rounds,
            error,
            kernels,
            ms));
  }
}

/// Squared distances, `x[n,2], y[k,2] -> [n,k]`: columns of x against rows of y. The two
/// coordinates are added explicitly; a sum over an axis would store the differences in memory.
static Expr<F32> distances(Expr<F32> x, Expr<F32> y) {
  Expr<F32> dx = x.slice(all(), range(0, 1)).minus(y.slice(all(), at(0)));
  Expr<F32> dy = x.slice(all(), range(1, 2)).minus(y.slice(all(), at(1)));
  return dx.times(dx).plus(dy.times(dy));
}

/// Initial centers: the first point, then repeatedly the point farthest from the chosen ones.
static Tensor<F32> farApart(Context ctx, Tensor<F32> points, int k) {
  Tensor<F32> centers = ctx.eval(points.slice(range(0, 1)).expand(k, 2));
  for (int j = 1; j < k; j++) {
    int farthest = (int) ctx.eval(argMax(min(distances(points, centers), 1), 0)).item();
    ctx.assign(centers.slice(at(j)), points.slice(at(farthest)));
  }
  return centers;
}

/// Parses the only option, --quick; other arguments end the program with exit code 2.
boolean quick(String[] args) {
  if (args.length == 0) {
    return false;
  }
  if (args.length == 1 && args[0].equals("--quick")) {
    return true;
  }
  System.err.println("KMeans takes --quick or nothing; got " + String.join(" ", args));
  System.exit(2);
  return false;
}
