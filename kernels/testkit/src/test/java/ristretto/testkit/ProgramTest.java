package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;

/** Recorded programs do what the same assignments do directly. */
class ProgramTest {
  private static final class State {
    final Context ctx;
    final Tensor<F32> x;
    final Tensor<F32> w;
    final Tensor<F32> bias;
    final Tensor<F32> loss;
    final Tensor<F32> rate;
    final Tensor<I64> step;

    State(Context ctx) {
      this.ctx = ctx;
      x = ctx.eval(normal(F32, 1, 32, 12));
      w = ctx.eval(normal(F32, 2, 12, 5).times(0.1));
      bias = ctx.zeros(F32, 5);
      loss = ctx.zeros(F32);
      rate = ctx.tensor(new float[] {0.125f}, 1);
      step = ctx.tensor(new long[] {0}, 1);
    }
  }

  /**
   * A training step: products, a row kernel, reductions over both axes, views, random numbers,
   * counters.
   */
  private static void step(State s) {
    Tensor<F32> p = s.ctx.eval(softmax(dot(s.x, s.w).plus(s.bias), 1));
    Tensor<F32> gradient = s.ctx.eval(p.minus(oneHot(s.ctx.arange(I32, 32).rem(5), 5)).div(32));
    s.ctx.assign(s.loss, sum(gradient.times(gradient)));
    Expr<F32> keep = uniform(F32, s.step, 12, 5).gt(0.25).cast(F32);
    s.ctx.assignSub(s.w, dot(s.x.t(), gradient).times(keep).times(s.rate));
    s.ctx.assignSub(s.bias, sum(gradient, 0).times(s.rate));
    s.ctx.assign(s.w.slice(at(0)), s.w.slice(at(1)).flip(0));
    s.ctx.assignAdd(s.step, scalar(I64, 1));
    s.ctx.assignMul(s.rate, scalar(F32, 0.5));
  }

  /** Values that several parts need are computed once, not chosen by position. */
  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void partsSideBySideAreStoresOfOneKernel(String device) {
    try (var ctx = Context.open(device)) {
      Tensor<F32> x = ctx.eval(normal(F32, 1, 6, 10));
      Tensor<F32> y = ctx.zeros(F32, 6, 20);
      Program program =
          ctx.record(() -> {
            Expr<F32> root = sqrt(abs(x));
            ctx.assign(y, concat(1, root, root.plus(1)));
          });
      assertThat(program.kernelCount()).isEqualTo(1);
      assertThat(program.explain().toString()).doesNotContainIgnoringCase("select");
      float[] values = y.toFloatArray();
      for (int k = 0; k < values.length; k++) {
        double root = Math.sqrt(Math.abs(x.toFloatArray()[k / 20 * 10 + k % 10]));
        assertThat(values[k]).isEqualTo((float) root + (k % 20 < 10 ? 0 : 1));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void partsThatReadWhatIsWrittenSeeOldValues(String device) {
    try (var ctx = Context.open(device)) {
      Tensor<F32> y = ctx.eval(ctx.arange(F32, 8).reshape(2, 4));
      Program program =
          ctx.record(() ->
              ctx.assign(
                  y, concat(1, y.slice(all(), range(2, 4)).plus(10), y.slice(all(), range(0, 2)))));
      assertThat(y.toFloatArray()).containsExactly(12, 13, 0, 1, 16, 17, 4, 5);
      program.run();
      assertThat(y.toFloatArray()).containsExactly(10, 11, 12, 13, 14, 15, 16, 17);
    }
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void replayDoesWhatDirectAssignmentsDo(String device) {
    try (var direct = Context.open(device);
        var recorded = Context.open(device)) {
      var a = new State(direct);
      var b = new State(recorded);
      step(a);
      Program program = recorded.record(() -> step(b));
      same(a, b);
      for (int k = 0; k < 5; k++) {
        step(a);
        program.run();
        same(a, b);
      }
      // What changes from run to run is a tensor.
      for (State s : new State[] {a, b}) {
        s.ctx.assign(s.rate, scalar(F32, 1));
        s.ctx.assign(s.x, s.x.times(-1));
      }
      step(a);
      program.run();
      same(a, b);
    }
  }

  private static void same(State a, State b) {
    assertThat(b.step.toLongArray()).isEqualTo(a.step.toLongArray());
    assertThat(b.rate.toFloatArray()).isEqualTo(a.rate.toFloatArray());
    close(a.w, b.w);
    close(a.bias, b.bias);
    close(a.loss, b.loss);
  }

  private static void close(Tensor<F32> expected, Tensor<F32> actual) {
    Tolerance.SEVERAL.check(
        F32, NdTensors.read(expected), NdTensors.read(actual), () -> "recorded");
  }

  @Test
  void temporariesFuseAcrossAssignments() {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.ones(F32, 1000);
      Tensor<F32> y = ctx.zeros(F32, 1000);
      Program program =
          ctx.record(() -> {
            Tensor<F32> t = ctx.eval(x.plus(1));
            Tensor<F32> u = ctx.eval(t.times(t));
            ctx.assign(y, u.minus(x));
          });
      assertThat(program.kernelCount()).as(program.toString()).isEqualTo(1);
      long launches = ctx.stats().launches();
      program.run();
      assertThat(ctx.stats().launches() - launches).isEqualTo(1);
      assertThat(y.toFloatArray()).containsOnly(3);
    }
  }

  /** Fusion across assignments must not make later writes visible. */
  @Test
  void fusionAcrossAssignmentsKeepsTheOrderOfWrites() {
    agree(ctx -> {
      Tensor<F32> x = ctx.ones(F32, 100);
      Tensor<F32> y = ctx.zeros(F32, 100);
      Tensor<F32> z = ctx.zeros(F32, 100);
      Runnable body =
          () -> {
            Tensor<F32> t = ctx.eval(x.plus(1));
            ctx.assign(x, x.times(3));
            ctx.assign(y, t.plus(x));
            ctx.assign(x.slice(range(1, 100)), y.slice(range(0, 99)));
            ctx.assign(z, t.times(y).plus(x));
            ctx.assign(y, y.flip(0).plus(z));
          };
      return new Case(body, x, y, z);
    });
  }

  @Test
  void sharedBuffersOfTemporariesDoNotMix() {
    agree(ctx -> {
      Tensor<F32> x = ctx.arange(F32, 64).reshape(8, 8);
      Tensor<F32> y = ctx.zeros(F32, 8, 8);
      Runnable body =
          () -> {
            Tensor<F32> a = ctx.eval(dot(x, x).times(1e-2));
            Tensor<F32> b = ctx.eval(dot(a, x).times(1e-2));
            Tensor<F32> c = ctx.eval(dot(b, a).times(1e-2));
            Tensor<F32> d = ctx.eval(dot(a.t(), b).times(1e-2));
            ctx.assign(y, dot(c, d).plus(b).minus(a));
            ctx.assign(x, y.t().times(1e-3));
          };
      return new Case(body, x, y);
    });
  }

  /** A thousand assignments of several kinds, none of which fuses with the next. */
  @Test
  void aLongProgramRunsWithoutAllocation() {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.eval(uniform(F32, 1, 16, 16));
      Tensor<F32> y = ctx.zeros(F32, 16, 16);
      Program program =
          ctx.record(() -> {
            for (int k = 0; k < 200; k++) {
              ctx.assign(y, softmax(x.plus(y), 1));
              ctx.assignAdd(y, dot(x, x).times(1e-3));
              ctx.assign(x, tanh(x.plus(y)).t());
              ctx.assignSub(x, sum(y, 0).times(0.1));
              ctx.assign(x.slice(at(k % 16)), sort(y.slice(at(0)), 0));
            }
          });
      assertThat(program.kernelCount()).isGreaterThanOrEqualTo(1000);
      var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      program.run();
      long memory = ctx.stats().bytesAllocated();
      long peak = ctx.stats().peakBytes();
      long misses = ctx.stats().cacheMisses();
      long least = Long.MAX_VALUE;
      // Compilers may still be at work, and what they replace allocates.
      for (int run = 0; run < 20 && least > MOST_BYTES_A_RUN; run++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        program.run();
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      // TornadoVM itself allocates for each launch.
      if (!TestDevice.NAME.startsWith("tornado")) {
        assertThat(least).as("bytes on the heap").isLessThanOrEqualTo(MOST_BYTES_A_RUN);
      }
      assertThat(ctx.stats().bytesAllocated()).isEqualTo(memory);
      assertThat(ctx.stats().peakBytes()).isEqualTo(peak);
      assertThat(ctx.stats().cacheMisses()).isEqualTo(misses);
      assertThat(x.toFloatArray()).doesNotContain(Float.NaN);
    }
  }

  /** Limit for a program, not for an assignment. */
  private static final long MOST_BYTES_A_RUN = 1000;

  /** A temporary that the caller keeps is written by every run. */
  @Test
  void reachableResultsAreWritten() {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.ones(F32, 10);
      var kept = new ArrayList<Tensor<F32>>();
      Program program =
          ctx.record(() -> {
            kept.add(ctx.eval(x.times(2)));
            ctx.assign(x, kept.getFirst().plus(1));
          });
      assertThat(kept.getFirst().toFloatArray()).containsOnly(2);
      program.run();
      assertThat(kept.getFirst().toFloatArray()).containsOnly(6);
      assertThat(x.toFloatArray()).containsOnly(7);
    }
  }

  /**
   * @param tensors that are compared after each run
   */
  private record Case(Runnable body, Tensor<?>... tensors) {}

  private static void agree(Function<Context, Case> make) {
    for (String device : TestDevice.all()) {
      try (var direct = Context.open(device);
          var recorded = Context.open(device)) {
        Case a = make.apply(direct);
        Case b = make.apply(recorded);
        a.body.run();
        Program program = recorded.record(b.body);
        Consumer<String> compare =
            when -> {
              for (int k = 0; k < a.tensors.length; k++) {
                int n = k;
                Tolerance.SEVERAL.check(
                    a.tensors[k].dtype(),
                    NdTensors.read(a.tensors[k]),
                    NdTensors.read(b.tensors[k]),
                    () -> "tensor " + n + " " + when + " on " + device + "\n" + program);
              }
            };
        compare.accept("when recorded");
        for (int run = 1; run < 4; run++) {
          a.body.run();
          program.run();
          compare.accept("after run " + run);
        }
      }
    }
  }
}
