package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Checks of lambdas with branches, loops, calls of methods, and captured values. */
final class LambdaChecks {
  private static final Nd INPUT = Nd.build(new long[] {17, 5}, i -> (5 * i[0] + i[1]) % 13 - 6);

  private LambdaChecks() {}

  static List<Check> checks() {
    return List.of(
        lambda(
            "a branch",
            x -> map(x, v -> v > 0 ? v : v > -3 ? v / 2 : 7),
            v -> v > 0 ? v : v > -3 ? v / 2 : 7),
        lambda("a loop", x -> map(x, LambdaChecks::steps), v -> steps((float) v)),
        lambda("a method", x -> map(x, v -> square(v) + 1), v -> v * v + 1),
        lambda("two lambdas", x -> map(map(x, v -> v + 1), x, (u, v) -> u * v), v -> v * (v + 1)),
        Check.of("lambda with captured values, which compile nothing", LambdaChecks::captured),
        Check.of("lambda of positions", LambdaChecks::positions),
        Check.of("lambda of another dtype", LambdaChecks::otherDtype),
        Check.of("reducing lambda", LambdaChecks::reducing));
  }

  private static float square(float v) {
    return v * v;
  }

  /**
   * Number of steps of the Collatz sequence to 1: a loop whose trip count depends on the element.
   */
  private static float steps(float v) {
    int n = (int) Math.abs(v) + 1;
    int steps = 0;
    while (n != 1) {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      steps++;
    }
    return steps;
  }

  private static Check lambda(
      String name, UnaryOperator<Expr<F32>> ours, DoubleUnaryOperator oracle) {
    return Check.of(
        "lambda with " + name, ctx -> check(ctx, ours.apply(input(ctx)), INPUT.map(oracle)));
  }

  private static Tensor<F32> input(Context ctx) {
    return NdTensors.tensor(ctx, F32, INPUT);
  }

  private static void check(Context ctx, Expr<?> ours, Nd expected) {
    Tolerance.EQUAL.check(
        ours.dtype(), expected, NdTensors.read(ctx.eval(ours)), () -> "operand: " + INPUT);
  }

  private static void captured(Context ctx) {
    Tensor<F32> x = input(ctx);
    long misses = 0;
    for (int k = 0; k < 3; k++) {
      float by = k + 0.5f;
      check(ctx, map(x, v -> v * by - 1), INPUT.map(v -> v * by - 1));
      misses = k == 0 ? ctx.stats().cacheMisses() : misses;
    }
    long more = ctx.stats().cacheMisses() - misses;
    Check.require(more == 0, "kernels compiled for new captured values", more, 0);
  }

  private static void positions(Context ctx) {
    check(
        ctx,
        mapIndexed(input(ctx), (v, i) -> v * (i % 3)),
        Nd.build(INPUT.shape, i -> INPUT.at(i) * ((5 * i[0] + i[1]) % 3)));
  }

  private static void otherDtype(Context ctx) {
    check(ctx, map(BOOL, input(ctx), v -> v > 1), INPUT.map(v -> v > 1 ? 1 : 0));
    check(
        ctx, map(I64, input(ctx), v -> (long) v * 1_000_000_007L), INPUT.map(v -> v * 1e9 + 7 * v));
  }

  /** Checks an associative reduction that is not commutative. */
  private static void reducing(Context ctx) {
    check(
        ctx,
        reduce(input(ctx), 0f, (u, v) -> v != 0 ? v : u, 0),
        INPUT.reduce(LambdaChecks::lastOther, 0));
  }

  private static double lastOther(double... row) {
    double last = 0;
    for (double v : row) {
      last = v != 0 ? v : last;
    }
    return last;
  }
}
