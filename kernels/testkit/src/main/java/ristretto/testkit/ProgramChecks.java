package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;

/** Checks equal bits in repeated runs, in programs, and with targets among the operands. */
final class ProgramChecks {
  private static final int N = 200_003;

  private ProgramChecks() {}

  static List<Check> checks() {
    return List.of(
        again("sum", x -> sum(x)),
        again("softmax", x -> softmax(x.slice(range(0, 200_000)).reshape(50, 4000), 1)),
        again("cumSum", x -> cumSum(x, 0)),
        again("sort", x -> sort(x, 0)),
        again("dot", x -> dot(square(x, 150), square(x, 150).t())),
        again("scatterAdd", x -> scatterAdd(Shape.of(11), 0, abs(x.times(4)).cast(I32).rem(11), x)),
        Check.of("a recorded program does what its assignments do", ProgramChecks::program),
        Check.of("temporaries of many sizes in one piece of memory", ProgramChecks::places),
        Check.of("a target that is an operand", ProgramChecks::ontoItself),
        Check.of("an assignment into a view", ProgramChecks::intoAView));
  }

  private static Expr<F32> square(Expr<F32> x, long n) {
    return x.slice(range(0, n * n)).reshape(n, n);
  }

  private static Tensor<F32> numbers(Context ctx) {
    return ctx.eval(normal(F32, 3, N));
  }

  private static Check again(String name, Function<Expr<F32>, Expr<F32>> ours) {
    return Check.of(
        "the same bits again: " + name,
        ctx -> {
          float[] first = ctx.eval(ours.apply(numbers(ctx))).toFloatArray();
          float[] second = ctx.eval(ours.apply(numbers(ctx))).toFloatArray();
          try (Context other = Context.open(ctx.device())) {
            float[] third = other.eval(ours.apply(numbers(other))).toFloatArray();
            same(first, second);
            same(first, third);
          }
        });
  }

  private static void same(float[] a, float[] b) {
    int k = Arrays.mismatch(a, b);
    Check.require(k < 0, "element " + k, k < 0 ? 0 : b[k], k < 0 ? 0 : a[k]);
  }

  /** State of a small training step, with a counter that seeds random numbers. */
  private record State(
      Context ctx, Tensor<F32> x, Tensor<F32> w, Tensor<ristretto.expr.type.I64> step) {
    static State of(Context ctx) {
      return new State(
          ctx,
          ctx.eval(normal(F32, 1, 32, 12)),
          ctx.eval(normal(F32, 2, 12, 5).times(0.1)),
          ctx.tensor(new long[] {0}, 1));
    }

    void run() {
      Tensor<F32> p = ctx.eval(softmax(dot(x, w), 1));
      Expr<F32> keep = uniform(F32, step, 12, 5).gt(0.25).cast(F32);
      ctx.assignSub(w, dot(x.t(), p).times(keep).times(1 / 64f));
      ctx.assign(w.slice(at(0)), w.slice(at(1)).flip(0));
      ctx.assignAdd(step, scalar(I64, 1));
    }
  }

  private static void program(Context ctx) {
    State direct = State.of(ctx);
    State recorded = State.of(ctx);
    State twin = State.of(ctx);
    Program program = ctx.record(recorded::run);
    Program second = ctx.record(twin::run);
    direct.run();
    for (int k = 0; k < 4; k++) {
      direct.run();
      program.run();
      second.run();
    }
    Tolerance.SEVERAL.check(
        F32,
        NdTensors.read(direct.w),
        NdTensors.read(recorded.w),
        () -> "after five runs\n" + program);
    same(recorded.w.toFloatArray(), twin.w.toFloatArray());
  }

  /**
   * Checks that temporaries with disjoint live ranges share memory, for products of growing
   * matrices, each computed from the previous one and its operands.
   */
  private static void places(Context ctx) {
    Tensor<F32> x = ctx.eval(normal(F32, 5, 61, 61));
    Tensor<F32> whole = ctx.zeros(F32, 61, 61);
    Tensor<F32> shared = ctx.zeros(F32, 61, 61);
    Runnable[] bodies = {() -> grow(ctx, x, whole), () -> grow(ctx, x, shared)};
    ctx.without(Set.of(Optimization.SHARE_MEMORY));
    Program apart = ctx.recordTransient(bodies[0]);
    ctx.without(Set.of());
    Program together = ctx.recordTransient(bodies[1]);
    for (int k = 0; k < 3; k++) {
      apart.run();
      together.run();
      same(shared.toFloatArray(), whole.toFloatArray());
    }
    Check.require(
        together.temporaryBytes() < apart.temporaryBytes() / 2,
        "bytes of temporaries",
        together.temporaryBytes(),
        apart.temporaryBytes() / 2.0);
  }

  private static void grow(Context ctx, Tensor<F32> x, Tensor<F32> y) {
    Expr<F32> sum = x.times(0);
    for (int n = 5; n <= 61; n += 7) {
      Expr<F32> part = x.slice(range(0, n), all());
      Tensor<F32> small = ctx.eval(dot(part, x));
      Tensor<F32> large = ctx.eval(dot(small.t(), part));
      sum = ctx.eval(softmax(large.plus(sum), 1));
    }
    ctx.assign(y, sum.plus(x));
  }

  private static void ontoItself(Context ctx) {
    Nd v = Nd.build(new long[] {33, 33}, i -> 33 * i[0] + i[1]);
    Tensor<F32> x = NdTensors.tensor(ctx, F32, v);
    ctx.assign(x, x.t().plus(x.flip(1)));
    Tolerance.EQUAL.check(
        F32, v.t().zip(v.flip(1), Double::sum), NdTensors.read(x), () -> "x = x.t() + x.flip(1)");
  }

  private static void intoAView(Context ctx) {
    Tensor<F32> base = ctx.zeros(F32, 9, 8);
    ctx.assign(base.slice(from(1, 2), from(-1, -3)), fill(F32, 2, 4, 3));
    Nd expected = Nd.build(new long[] {9, 8}, i -> i[0] % 2 == 1 && i[1] % 3 == 1 ? 2 : 0);
    Tolerance.EQUAL.check(F32, expected, NdTensors.read(base), () -> "every second row");
  }
}
