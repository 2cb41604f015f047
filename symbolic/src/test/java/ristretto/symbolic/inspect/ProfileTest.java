package ristretto.symbolic.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.square;
import static ristretto.symbolic.Layers.tanh;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

class ProfileTest {
  private static final Variable<F32> X = Variable.input("x", F32, -1, 40);
  private static final Variable<F32> LOSS = mean(square(dense("out", tanh(dense("in", X, 30)), 1)));

  private static Executor executor(Context ctx) {
    var executor = new Executor(ctx, LOSS);
    executor.set(X, Ops.uniform(F32, 3, 50, 40));
    return executor;
  }

  /** Each kernel has a row with its layer and pass, and a profiled step trains as another does. */
  @Test
  void aProfiledStepIsAStep() {
    try (var ctx = Context.open()) {
      Executor profiled = executor(ctx);
      Executor plain = executor(ctx);
      Optimizer first = Optimizer.adam(0.01);
      Optimizer second = Optimizer.adam(0.01);
      profiled.step(LOSS, first);
      Profile profile = profiled.profile();
      plain.step(LOSS, second);
      plain.step(LOSS, second);
      assertThat(profile.launches()).isEqualTo(profiled.explain().kernelCount());
      assertThat(profile.rows())
          .allSatisfy(r -> {
            assertThat(r.layer()).isNotEmpty();
            assertThat(r.millis()).isPositive();
            assertThat(profiled.explain().kernels()).contains(r.kernel());
          });
      assertThat(profile.rows().stream().map(Profile.Row::layer))
          .anyMatch(l -> l.contains("in"))
          .anyMatch(l -> l.contains("out"))
          .anyMatch(l -> l.contains("optimizer"));
      assertThat(profile.rows().stream().map(Profile.Row::pass))
          .anyMatch(p -> p.contains("forward"))
          .anyMatch(p -> p.contains("backward"))
          .anyMatch(p -> p.contains("update"));
      assertThat(profile.millisByLayer().values().stream().mapToDouble(v -> v).sum())
          .isCloseTo(profile.millis(), org.assertj.core.data.Offset.offset(1e-9));
      for (int k = 0; k < 4; k++) {
        assertThat(profiled.tensor(profiled.parameters().get(k)).toFloatArray())
            .isEqualTo(plain.tensor(plain.parameters().get(k)).toFloatArray());
      }
    }
  }

  @Test
  void text() {
    var profile =
        new Profile(
            List.of(
                new Profile.Row("in", "forward", "gemm_f32", 2, 1.5, 3_000_000, 6_000_000),
                new Profile.Row("in + out", "backward", "map_mul", 1, 0.5, 1_000_000, 0)));
    assertThat(profile.toString())
        .isEqualTo(
            """
            layer     pass         ms          GB/s  GFLOP/s  launches  kernel
            in        forward   1.500  75.0 %  2.00     4.00         2  gemm_f32
            in + out  backward  0.500  25.0 %  2.00                  1  map_mul
            total               2.000                                3
            """);
  }

  /** A thread without a run of its own reads that of another. */
  @Test
  void runsOfOtherThreads() throws InterruptedException {
    try (var ctx = Context.open("cpu")) {
      Executor executor = executor(ctx);
      executor.forward();
      var seen = new java.util.concurrent.atomic.AtomicLong();
      Thread.ofPlatform().start(() -> seen.set(executor.memory().persistentBytes())).join();
      assertThat(seen.get()).isEqualTo(executor.memory().persistentBytes());
    }
  }

  @Test
  void message() {
    try (var ctx = Context.open()) {
      Executor executor = executor(ctx);
      assertThatThrownBy(executor::profile)
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[profile] the executor must have run before; got no run; call forward() or step.");
    }
  }
}
