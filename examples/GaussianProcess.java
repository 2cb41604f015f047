// Gaussian process regression: a function is estimated from noisy samples, with its uncertainty.
//
// The length scale, the amplitude and the noise maximize the marginal likelihood. Its gradient goes
// through a Cholesky factor and two triangular systems, which LAPACK computes in the tensors'
// memory; what surrounds them fuses into a few kernels.
//
//   ./ristretto run examples/GaussianProcess.java [--quick]

import module ristretto.expr;
import static ristretto.expr.Ops.*;

static final double NOISE = 0.2;

void main(String[] args) {
  boolean quick = quick(args);
  int n = quick ? 100 : 1000;
  int steps = quick ? 60 : 120;
  try (var ctx = Context.open()) {
    Tensor<F64> x = ctx.eval(uniform(F64, 1, n).times(10));
    Tensor<F64> y = ctx.eval(sin(x).plus(normal(F64, 2, n).times(NOISE)));
    Tensor<F64> theta = ctx.zeros(F64, 3); // logarithms of length scale, amplitude and noise

    // Negative logarithm of the likelihood, without its constant.
    Expr<F64> l = Linalg.cholesky(covariance(x, theta));
    Expr<F64> white = Linalg.triangularSolve(l, y, true);
    Expr<F64> loss = sum(square(white)).times(0.5).plus(sum(log(diagonal(l)))).div(n);

    // Adam, with a rate of 0.1
    Tensor<F64> average = ctx.zeros(F64, 3);
    Tensor<F64> variance = ctx.zeros(F64, 3);
    Tensor<F64> slope = ctx.zeros(F64, 3);
    Tensor<F64> value = ctx.zeros(F64);
    Program step =
        ctx.record(() -> {
          ctx.assign(value, loss);
          ctx.assign(slope, gradient(loss, theta));
          ctx.assign(average, average.times(0.8).plus(slope.times(0.2)));
          ctx.assign(variance, variance.times(0.9).plus(square(slope).times(0.1)));
          ctx.assign(theta, theta.minus(average.times(0.1).div(sqrt(variance).plus(1e-8))));
        });
    IO.println(step);
    long start = System.nanoTime();
    for (int k = 1; k < steps; k++) {
      step.run();
      if (k % (steps / 5) == 0) {
        String now = String.format(Locale.ROOT, "step %3d  loss %.5f  ", k, value.item());
        IO.println(now + parameters(theta));
      }
    }
    double ms = (System.nanoTime() - start) / 1e6 / (steps - 1);

    // Mean and standard deviation of the function at new points.
    Tensor<F64> at = ctx.linspace(F64, 0, 10, 201);
    Tensor<F64> factor = ctx.eval(l);
    Expr<F64> across = kernel(x, at, theta);
    Tensor<F64> half = ctx.eval(Linalg.triangularSolve(factor, across, true));
    Expr<F64> estimate = dot(half.t(), Linalg.triangularSolve(factor, y, true));
    Expr<F64> deviation = sqrt(exp(theta.slice(at(1)).times(2)).minus(sum(square(half), 0)));
    Tensor<F64> error = ctx.eval(estimate.minus(sin(at)));
    double rmse = Math.sqrt(ctx.eval(mean(square(error))).item());
    double inside = ctx.eval(mean(abs(error).lt(deviation.times(2)).cast(F64))).item();
    double noise = Math.exp(theta.toDoubleArray()[2]);
    IO.println(
        String.format(
            Locale.ROOT, "%d samples, %d kernels and %.2f ms a step", n, step.kernelCount(), ms));
    IO.println(
        String.format(
            Locale.ROOT,
            "result: rmse=%.4f noise=%.4f inside=%.3f ms_per_step=%.2f",
            rmse,
            noise,
            inside,
            ms));
  }
}

/// Covariance of the function at points `x[n], z[m] -> [n,m]`.
static Expr<F64> kernel(Expr<F64> x, Expr<F64> z, Expr<F64> theta) {
  Expr<F64> scale = exp(theta);
  Expr<F64> distance = x.unsqueeze(1).minus(z.unsqueeze(0)).div(scale.slice(at(0)));
  return exp(square(distance).times(-0.5)).times(square(scale.slice(at(1))));
}

/// Covariance of the samples, which have independent noise.
static Expr<F64> covariance(Expr<F64> x, Expr<F64> theta) {
  Expr<F64> rows = coordinate(Shape.of(x.shape().dim(0)), 0).cast(F64);
  Expr<F64> same = rows.unsqueeze(1).eq(rows.unsqueeze(0)).cast(F64);
  return kernel(x, x, theta).plus(same.times(square(exp(theta.slice(at(2))))));
}

/// Parameters as text.
static String parameters(Tensor<F64> theta) {
  double[] logs = theta.toDoubleArray();
  return String.format(
      Locale.ROOT,
      "length %.3f  amplitude %.3f  noise %.3f",
      Math.exp(logs[0]),
      Math.exp(logs[1]),
      Math.exp(logs[2]));
}

/// Parses the only option, --quick; other arguments end the program with exit code 2.
boolean quick(String[] args) {
  if (args.length == 0) {
    return false;
  }
  if (args.length == 1 && args[0].equals("--quick")) {
    return true;
  }
  System.err.println("GaussianProcess takes --quick or nothing; got " + String.join(" ", args));
  System.exit(2);
  return false;
}
