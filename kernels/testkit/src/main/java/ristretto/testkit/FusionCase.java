package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Plan;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/**
 * Expression with its number of kernels, which must agree with the plan and the device's launch
 * count.
 */
record FusionCase(String name, int kernels, Function<Operands, Expr<F32>> expr) {
  /** Two matrices of shape [8,16]. */
  record Operands(Tensor<F32> a, Tensor<F32> b) {}

  static final List<FusionCase> CASES =
      List.of(
          one("1 / (1 + exp(-a))", x -> scalar(F32, 1).div(exp(x.a.neg()).plus(1f))),
          one("sigmoid", x -> sigmoid(x.a)),
          one("sigmoid by lambda", x -> map(x.a, v -> 1f / (1f + (float) Math.exp(-v)))),
          one(
              "operators, views and random numbers",
              x -> x.a.plus(x.b).times(x.a).minus(x.b.t().t()).plus(uniform(F32, 1, 8, 16))),
          one(
              "where and slices",
              x -> where(x.a.lt(x.b), x.a, x.b.slice(from(0), from(0)).flip(1))),
          one("sum of a map", x -> sum(x.a.plus(x.b))),
          one("sums of rows", x -> sum(x.a.plus(x.b), 1)),
          one("sums of columns", x -> sum(x.a.plus(x.b), 0)),
          one("map of means of maps", x -> sqrt(mean(x.a.times(x.a), 1)).plus(1)),
          one("less the mean", x -> x.a.minus(mean(x.a, 1).keepDims())),
          one("softmax", x -> softmax(x.a, 1)),
          one("logSoftmax", x -> logSoftmax(x.a, 1)),
          one("layerNorm", x -> layerNorm(x.a, 1)),
          one("map of softmax of map", x -> softmax(x.a.plus(x.b), 1).times(2)));

  private static FusionCase one(String name, Function<Operands, Expr<F32>> expr) {
    return new FusionCase(name, 1, expr);
  }

  @Override
  public String toString() {
    return name;
  }

  void check(Context ctx) {
    Expr<F32> e = expr.apply(new Operands(ctx.full(F32, 0.5, 8, 16), ctx.full(F32, 2, 8, 16)));
    Plan plan = ctx.explain(e);
    Check.require(
        plan.kernelCount() == kernels, "planned kernels\n" + plan, plan.kernelCount(), kernels);
    Tensor<F32> target = ctx.eval(e);
    long before = ctx.stats().launches();
    ctx.assign(target, e);
    long launches = ctx.stats().launches() - before;
    Check.require(launches == kernels, "launches\n" + plan, launches, kernels);
  }
}
