package ristretto.symbolic.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Accumulation of gradients over several steps. */
class AccumulationTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Linear regression of a target on three inputs, with two kinds of parameters. */
  private static final class Model {
    final Variable<F64> x = Variable.input("x", F64, -1, 3);
    final Variable<F64> y = Variable.input("y", F64, -1, 1);
    final Variable<F64> w = Variable.parameter("w", F64, Initializer.constant(0.5), 3, 1);
    final Variable<F64> b = Variable.parameter("b", F64, Initializer.constant(0.1), 1);
    final Variable<F64> loss =
        Layers.apply(
            "loss",
            F64,
            r -> Ops.mean(Ops.square(Ops.dot(r.get(x), r.get(w)).plus(r.get(b)).minus(r.get(y)))),
            x,
            w,
            b,
            y);
    final Executor executor = new Executor(CTX, loss);

    Model give(long seed, int rows) {
      executor.set(x, Ops.uniform(F64, seed, rows, 3));
      executor.set(y, Ops.uniform(F64, seed + 50, rows, 1));
      return this;
    }

    /** Gives both batches of a pair as one. */
    Model givePair(long seed, int rows) {
      executor.set(
          x, Ops.concat(0, Ops.uniform(F64, seed, rows, 3), Ops.uniform(F64, seed + 1, rows, 3)));
      executor.set(
          y,
          Ops.concat(
              0, Ops.uniform(F64, seed + 50, rows, 1), Ops.uniform(F64, seed + 51, rows, 1)));
      return this;
    }

    double[] values() {
      double[] all = executor.tensor(w).toDoubleArray();
      return new double[] {all[0], all[1], all[2], executor.tensor(b).item()};
    }
  }

  private static Optimizer optimizer(String kind) {
    Schedule rate = Schedule.step(0.1, 0.5, 2);
    return switch (kind) {
      case "sgd" -> Optimizer.sgd(rate);
      case "clip" -> Optimizer.sgd(rate).clip(0.3);
      case "adam" -> Optimizer.adam(rate);
      case "groups" ->
          Optimizer.adamW(rate).group("b", g -> g.rate(0.3).decay(0).clip(0.2)).average(0.9);
      case "lamb" -> Optimizer.lamb(0.1);
      default -> throw new AssertionError(kind);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"sgd", "clip", "adam", "groups", "lamb"})
  void twoStepsAreOneOfBothBatches(String kind) {
    var parts = new Model();
    var whole = new Model();
    Optimizer accumulating = optimizer(kind).accumulate(2);
    Optimizer plain = optimizer(kind);
    for (int k = 0; k < 5; k++) {
      double[] before = parts.values();
      parts.give(2 * k, 5).executor.step(parts.loss, accumulating);
      assertThat(parts.values()).containsExactly(before);
      parts.give(2 * k + 1, 5).executor.step(parts.loss, accumulating);
      whole.givePair(2 * k, 5).executor.step(whole.loss, plain);
      assertThat(parts.values()).containsExactly(whole.values(), within(1e-7));
    }
  }

  @Test
  void theOrderOfTheOptionsDoesNotMatter() {
    Optimizer first =
        Optimizer.adamW(1e-3)
            .accumulate(8)
            .group("*.bias", g -> g.rate(2e-3).decay(0))
            .only("discriminator.*");
    Optimizer last =
        Optimizer.adamW(1e-3)
            .group("*.bias", g -> g.rate(2e-3).decay(0))
            .only("discriminator.*")
            .accumulate(8);
    assertThat(first.accumulated()).isEqualTo(8);
    assertThat(last.accumulated()).isEqualTo(8);
  }

  @Test
  void backwardAndUpdateAccumulateToo() {
    var steps = new Model();
    var parts = new Model();
    Optimizer one = Optimizer.adam(0.1).accumulate(3);
    Optimizer other = Optimizer.adam(0.1).accumulate(3);
    for (int k = 0; k < 7; k++) {
      steps.give(k, 4).executor.step(steps.loss, one);
      parts.give(k, 4).executor.backward(parts.loss);
      parts.executor.update(other);
      assertThat(parts.values()).containsExactly(steps.values());
    }
  }

  @Test
  void stepsThatAreNotFiniteDoNotCount() {
    var clean = new Model();
    var broken = new Model();
    Optimizer one = Optimizer.adam(0.1).accumulate(2);
    Optimizer other = Optimizer.adam(0.1).accumulate(2);
    for (int k = 0; k < 4; k++) {
      clean.give(k, 4).executor.step(clean.loss, one);
      broken.give(k, 4).executor.set(broken.x, Ops.fill(F64, Double.NaN, 4, 3));
      broken.executor.step(broken.loss, other);
      broken.give(k, 4).executor.step(broken.loss, other);
    }
    assertThat(broken.values()).containsExactly(clean.values());
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5})
  void checkpointsContinueWithinAnAccumulation(int before, @TempDir Path folder) {
    Path file = folder.resolve("m.safetensors");
    var whole = new Model();
    Optimizer one = Optimizer.adam(0.1).accumulate(3);
    for (int k = 0; k < 9; k++) {
      if (k == before) {
        whole.executor.save(file);
      }
      whole.give(k, 4).executor.step(whole.loss, one);
    }
    // Restored before the first use of the optimizer, and after two other steps.
    for (boolean used : new boolean[] {false, true}) {
      var resumed = new Model();
      Optimizer other = Optimizer.adam(0.1).accumulate(3);
      for (int k = 0; used && k < 2; k++) {
        resumed.give(k + 70, 4).executor.step(resumed.loss, other);
      }
      resumed.executor.restore(file);
      for (int k = before; k < 9; k++) {
        resumed.give(k, 4).executor.step(resumed.loss, other);
      }
      assertThat(resumed.values()).containsExactly(whole.values());
    }
  }

  @Test
  void freezingDropsWhatWasAccumulated() {
    var frozen = new Model();
    var fresh = new Model();
    Optimizer one = Optimizer.sgd(0.1).accumulate(2);
    Optimizer other = Optimizer.sgd(0.1).accumulate(2);
    // A first update, whose sums must not return.
    for (int k = 0; k < 2; k++) {
      frozen.give(k, 4).executor.step(frozen.loss, one);
      fresh.give(k, 4).executor.step(fresh.loss, other);
    }
    frozen.executor.freeze("w");
    frozen.give(7, 4).executor.step(frozen.loss, one);
    frozen.executor.unfreeze("w");
    for (int k = 2; k < 4; k++) {
      frozen.give(k, 4).executor.step(frozen.loss, one);
      fresh.give(k, 4).executor.step(fresh.loss, other);
    }
    assertThat(frozen.values()).containsExactly(fresh.values());
  }

  /** The mean is of the gradients that there are, whatever number the optimizer was made for. */
  @Test
  void anotherNumberOfStepsAfterACheckpoint(@TempDir Path folder) {
    Path file = folder.resolve("m.safetensors");
    var saved = new Model();
    Optimizer three = Optimizer.sgd(0.1).accumulate(3);
    saved.give(0, 4).executor.step(saved.loss, three);
    saved.executor.save(file);
    var resumed = new Model();
    resumed.executor.restore(file);
    resumed.give(1, 4).executor.step(resumed.loss, Optimizer.sgd(0.1).accumulate(2));
    var whole = new Model();
    whole.givePair(0, 4).executor.step(whole.loss, Optimizer.sgd(0.1));
    assertThat(resumed.values()).containsExactly(whole.values(), within(1e-9));
  }

  @Test
  void accumulatedGradientsAreNoRunningMeans(@TempDir Path folder) {
    Path file = folder.resolve("m.safetensors");
    var saved = new Model();
    saved.give(0, 4).executor.step(saved.loss, Optimizer.sgd(0.1).accumulate(3));
    saved.executor.save(file);
    var fresh = new Model();
    fresh.executor.restore(file);
    Optimizer averaging = Optimizer.sgd(0.1).average(0.9);
    assertThatThrownBy(() -> fresh.give(1, 4).executor.step(fresh.loss, averaging))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[step] training must continue with the optimizer it began with; got one that does not"
                + " accumulate gradients, unlike the one in the restored file; make the saved"
                + " optimizer, or name the new one with named(...).");
    var used = new Model();
    used.give(1, 4).executor.step(used.loss, Optimizer.sgd(0.1).average(0.9));
    assertThatThrownBy(() -> used.executor.restore(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] an optimizer must accumulate gradients if that of the file does; got sgd,"
                + " which does not accumulate, and "
                + file
                + "; make the optimizer that was saved.");
  }

  /** The scale of F16 halves from 65536 to 4096, where gradients of 10 no longer overflow. */
  @Test
  void stepsWhoseGradientsOverflowDoNotCount() {
    Variable<F32> x = Variable.input("x", F32, -1, 3);
    Variable<F32> first = Variable.parameter("first", F32, Initializer.constant(0.5), 3, 4);
    Variable<F32> second = Variable.parameter("second", F32, Initializer.constant(0.25), 4, 2);
    Variable<F32> hidden = Layers.relu(dot("hidden", x, first));
    Variable<F32> loss = Layers.sum(dot("out", hidden, second)).times(10);
    var narrow = new Executor(CTX, loss);
    narrow.mixedPrecision(Ops.F16);
    var wide = new Executor(CTX, loss);
    Optimizer one = Optimizer.sgd(0.125).accumulate(2);
    Optimizer other = Optimizer.sgd(0.125).accumulate(2);
    narrow.set(x, CTX.ones(F32, 2, 3));
    wide.set(x, CTX.ones(F32, 2, 3));
    for (int k = 0; k < 5; k++) {
      narrow.step(loss, one);
      assertThat(narrow.tensor(second).toFloatArray()).containsOnly(0.25f);
    }
    narrow.step(loss, one);
    wide.step(loss, other);
    wide.step(loss, other);
    assertThat(narrow.tensor(second).toFloatArray())
        .isEqualTo(wide.tensor(second).toFloatArray())
        .doesNotContain(0.25f);
    assertThat(narrow.tensor(first).toFloatArray()).isEqualTo(wide.tensor(first).toFloatArray());
  }

  private static Variable<F32> dot(String name, Variable<F32> a, Variable<F32> b) {
    return Layers.apply(name, F32, v -> Ops.dot(v.get(a), v.get(b)), a, b);
  }

  @Test
  void lossesMustReachTheSameParameters() {
    Variable<F32> a = Variable.parameter("a", F32, Initializer.ones(), 1);
    Variable<F32> b = Variable.parameter("b", F32, Initializer.ones(), 1);
    Variable<F32> first = Layers.sum(a.times(a));
    Variable<F32> second = Layers.sum(a.times(b));
    var executor = new Executor(CTX, first, second);
    Optimizer optimizer = Optimizer.sgd(0.1).accumulate(2);
    executor.step(first, optimizer);
    assertThatThrownBy(() -> executor.step(second, optimizer))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[step] all losses of an optimizer that accumulates gradients must reach the same"
                + " parameters; got b f32[1], which only some of them reach; give each loss an"
                + " optimizer of its own, or add the losses up.");
    executor.freeze("b");
    executor.step(second, optimizer);
    assertThat(executor.tensor(b).item()).isEqualTo(1);
  }

  @Test
  void messages() {
    assertThatThrownBy(() -> Optimizer.sgd(1).accumulate(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[optimizer] an update must use the gradients of at least 1 step; got 0.");
  }

  @Test
  void ratesCanBeScaled(@TempDir Path folder) {
    Path file = folder.resolve("m.safetensors");
    Variable<F64> w = Variable.parameter("w", F64, Initializer.ones(), 1);
    Variable<F64> loss = Layers.sum(w);
    var executor = new Executor(CTX, loss);
    Optimizer optimizer = Optimizer.sgd(0.25);
    executor.step(loss, optimizer);
    assertThat(executor.tensor(w).item()).isEqualTo(0.75);
    executor.scaleRate(optimizer, 0.5);
    executor.step(loss, optimizer);
    assertThat(executor.tensor(w).item()).isEqualTo(0.625);
    executor.save(file);
    var other = new Executor(CTX, loss);
    other.restore(file);
    other.step(loss, Optimizer.sgd(0.25));
    assertThat(other.tensor(w).item()).isEqualTo(0.5);
    assertThatThrownBy(() -> executor.scaleRate(optimizer, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[scaleRate] the factor of a learning rate must be finite and above 0; got 0.0.");
  }
}
