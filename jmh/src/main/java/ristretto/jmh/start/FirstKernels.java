package ristretto.jmh.start;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.abs;
import static ristretto.expr.Ops.cos;
import static ristretto.expr.Ops.exp;
import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.sin;
import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.tanh;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.report.Fact;
import ristretto.jmh.report.LaunchTargets;

/** Latency of a kernel that is new to the process, in a process that has run other kernels. */
public final class FirstKernels {
  /** Name of the facts for {@code --only}. */
  public static final String NAME = "first-kernel";

  private static final int ELEMENTS = 10_000;
  private static final int WARM = 300;

  private FirstKernels() {}

  public static List<Fact> measure() {
    try (Context context = Context.open()) {
      Tensor<F32> x = context.full(F32, 0.5, ELEMENTS);
      Tensor<F32> y = context.empty(F32, ELEMENTS);
      warm(context, x, y);
      double[] millis = new double[49];
      int k = 0;
      for (UnaryOperator<Expr<F32>> outer : functions()) {
        for (UnaryOperator<Expr<F32>> inner : functions()) {
          Expr<F32> expression = outer.apply(abs(inner.apply(x.plus(1))).plus(x)).times(x);
          long start = System.nanoTime();
          context.assign(y, expression);
          millis[k++] = (System.nanoTime() - start) / 1e6;
        }
      }
      Arrays.sort(millis);
      return List.of(
          new Fact(
              "first-kernel-median",
              "first run of a new kernel over 1e4, warm process",
              millis[millis.length / 2],
              "ms",
              Optional.empty()),
          new Fact(
              "first-kernel-worst",
              "the slowest of " + millis.length,
              millis[millis.length - 1],
              "ms",
              LaunchTargets.FIRST_KERNEL_MILLIS));
    }
  }

  private static void warm(Context context, Tensor<F32> x, Tensor<F32> y) {
    for (int call = 0; call < WARM; call++) {
      context.assign(y, sigmoid(x));
      context.assign(y, x.times(2).plus(log(x)));
    }
  }

  private static List<UnaryOperator<Expr<F32>>> functions() {
    return List.of(
        v -> exp(v),
        v -> log(v),
        v -> tanh(v),
        v -> sqrt(v),
        v -> sin(v),
        v -> cos(v),
        v -> v.times(v));
  }
}
