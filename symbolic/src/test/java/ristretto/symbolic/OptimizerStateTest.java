package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.Schedule;

/** State of optimizers: one for each of them, and only for parameters that have gradients. */
class OptimizerStateTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F64> w = Variable.parameter("w", F64, Initializer.constant(2), 3);
  private final Variable<F64> loss = Layers.sum(w.times(w));

  private double moved(Executor executor, Runnable step) {
    double before = executor.tensor(w).toDoubleArray()[0];
    step.run();
    return before - executor.tensor(w).toDoubleArray()[0];
  }

  @Test
  void aSecondOptimizerBeginsWithItsFirstStep() {
    var executor = new Executor(CTX, loss);
    Optimizer first = Optimizer.sgd(0.001);
    for (int k = 0; k < 5; k++) {
      executor.step(loss, first);
    }
    Optimizer second = Optimizer.adam(0.1).named("second");
    assertThat(moved(executor, () -> executor.step(loss, second))).isCloseTo(0.1, within(1e-6));
  }

  @Test
  void schedulesBeginWithTheirOptimizer() {
    var executor = new Executor(CTX, loss);
    Optimizer first = Optimizer.sgd(0);
    for (int k = 0; k < 50; k++) {
      executor.step(loss, first);
    }
    Optimizer fineTuning = Optimizer.sgd(Schedule.cosine(0.1, 10)).named("fine-tuning");
    assertThat(moved(executor, () -> executor.step(loss, fineTuning)))
        .isCloseTo(0.1 * 4, within(1e-6));
  }

  @Test
  void backwardPassesOfAnAccumulationDoNotCount() {
    var executor = new Executor(CTX, loss);
    Optimizer optimizer = Optimizer.sgd(Schedule.step(0.1, 0.1, 2));
    double value = 2;
    for (int update = 0; update < 4; update++) {
      for (int k = 0; k < 3; k++) {
        executor.backward(loss);
      }
      double rate = update < 2 ? 0.1 : 0.01;
      assertThat(moved(executor, () -> executor.update(optimizer)))
          .as("update " + update)
          .isCloseTo(rate * 2 * value, within(1e-6));
      value = executor.tensor(w).toDoubleArray()[0];
    }
  }

  @Test
  void stepsThatChangeNothingDoNotCount() {
    Variable<F64> x = Variable.input("x", F64);
    Variable<F64> scaled = Layers.sum(w.times(x));
    var executor = new Executor(CTX, scaled);
    Optimizer optimizer = Optimizer.sgd(Schedule.step(1, 0.5, 1));
    executor.set(x, scalar(F64, Double.NaN));
    executor.step(scaled, optimizer);
    executor.set(x, scalar(F64, 1));
    assertThat(moved(executor, () -> executor.step(scaled, optimizer))).isEqualTo(1);
    assertThat(moved(executor, () -> executor.step(scaled, optimizer))).isEqualTo(0.5);
  }

  // Warnings

  private static String errors(Runnable body) {
    var bytes = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      body.run();
    } finally {
      System.setErr(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aNewOptimizerInEachStepWarnsOnce() {
    var executor = new Executor(CTX, loss);
    String said =
        errors(() -> {
          for (int k = 0; k < 4; k++) {
            executor.step(loss, Optimizer.adam(0.001));
          }
        });
    String warning =
        "[step] a parameter should keep its optimizer; got a new one, adam.2, for w f64[3], which"
            + " has adam; make the optimizer once, before the loop, or name that of a new training"
            + " phase with named(...)\n";
    assertThat(said).endsWith(warning).containsOnlyOnce("[step]");
  }

  @Test
  void optimizersOfOtherParametersAndOfNamedPhasesDoNotWarn() {
    Variable<F64> other = Variable.parameter("other", F64, Initializer.ones(), 2);
    Variable<F64> otherLoss = Layers.sum(other.times(other));
    var executor = new Executor(CTX, loss, otherLoss);
    Optimizer one = Optimizer.adam(0.1);
    Optimizer two = Optimizer.adam(0.1);
    Optimizer phase = Optimizer.adam(0.1).named("phase 2");
    String said =
        errors(() -> {
          for (int k = 0; k < 2; k++) {
            executor.step(loss, one);
            executor.step(otherLoss, two);
          }
          executor.step(loss, phase);
        });
    assertThat(said).isEmpty();
  }

  // Parameters without gradients

  static Stream<Optimizer> all() {
    Schedule rate = Schedule.constant(0.1);
    return Stream.of(
        Optimizer.sgd(0.1).decay(0.5),
        Optimizer.momentum(rate, 0.9, false),
        Optimizer.momentum(rate, 0.9, true).decay(0.5),
        Optimizer.rmsProp(rate, 0.9, 1e-6).decay(0.5).clip(0.1),
        Optimizer.adagrad(rate, 1e-6),
        Optimizer.adamW(rate, 0.9, 0.999, 1e-8, 0.3),
        Optimizer.adam(rate).clip(1).decay(0.1).average(0.9));
  }

  /** Parameters a, b and c in this order, of which one loss leaves out the middle one. */
  private final class Partly {
    final Variable<F32> x = Variable.input("x", F32, -1, 4);
    final Variable<F32> first = Layers.dense("a", x, 4);
    final Variable<F32> second = Layers.dense("b", first, 4);
    final Variable<F32> stopped =
        Layers.apply("stop", F32, v -> stopGradient(v.get(second)), second);
    final Variable<F32> whole = Layers.mean(Layers.dense("c", second, 2));
    final Variable<F32> part;
    final Executor executor;

    Partly() {
      part = Layers.mean(stopped.times(Layers.dense("d", x, 4)).plus(first));
      executor = new Executor(CTX, 1, whole, part);
      executor.set(x, uniform(F32, 3, 5, 4));
    }

    float[] values(String name) {
      for (Variable<?> v : executor.parameters()) {
        if (v.name().equals(name)) {
          return executor.tensor(v).as(F32).toFloatArray();
        }
      }
      throw new IllegalArgumentException(name);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void parametersWithoutGradientStayAsTheyAre(Optimizer optimizer) {
    for (boolean apart : new boolean[] {false, true}) {
      var model = new Partly();
      // Momentum is there from a loss that reaches them.
      model.executor.step(model.whole, optimizer);
      float[] b = model.values("b.weight");
      float[] c = model.values("c.bias");
      float[] a = model.values("a.weight");
      float[] d = model.values("d.weight");
      for (int k = 0; k < 3; k++) {
        if (apart) {
          model.executor.backward(model.part);
          model.executor.update(optimizer);
        } else {
          model.executor.step(model.part, optimizer);
        }
      }
      assertThat(model.values("b.weight")).isEqualTo(b);
      assertThat(model.values("c.bias")).isEqualTo(c);
      assertThat(model.values("a.weight")).isNotEqualTo(a);
      assertThat(model.values("d.weight")).isNotEqualTo(d);
      for (Variable<?> v : model.executor.parameters()) {
        if (v.name().startsWith("b")) {
          assertThat(model.executor.gradientOf(v).as(F32).toFloatArray()).containsOnly(0f);
        }
      }
    }
  }

  @Test
  void updatesOfSeveralBackwardPassesChangeWhatAnyOfThemReached() {
    var model = new Partly();
    Optimizer optimizer = Optimizer.sgd(0.1).decay(0.5);
    float[] c = model.values("c.weight");
    model.executor.backward(model.whole);
    model.executor.backward(model.part);
    model.executor.update(optimizer);
    assertThat(model.values("c.weight")).isNotEqualTo(c);
    c = model.values("c.weight");
    model.executor.backward(model.part);
    model.executor.update(optimizer);
    assertThat(model.values("c.weight")).isEqualTo(c);
  }

  @Test
  void stepsThatReachAllParametersUpdateThemInOneKernel() {
    var model = new Partly();
    var whole = new Executor(CTX, 1, model.whole);
    whole.set(model.x, uniform(F32, 3, 5, 4));
    whole.backward(model.whole);
    int gradients = whole.explain().kernelCount();
    whole.step(model.whole, Optimizer.adam(0.1));
    assertThat(whole.explain().kernelCount() - gradients).isEqualTo(1);
  }
}
