package ristretto.symbolic.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.uniform;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

class ParameterGroupTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Parameters whose gradients are 3, 4 and 2 in each element. */
  private final Variable<F64> weight =
      Variable.parameter("a.weight", F64, Initializer.constant(0.5), 1, 1);

  private final Variable<F64> bias = Variable.parameter("a.bias", F64, Initializer.constant(2), 1);
  private final Variable<F64> other = Variable.parameter("b.bias", F64, Initializer.constant(1), 1);
  private final Variable<F64> loss =
      Layers.sum(weight.times(3)).plus(Layers.sum(bias.times(4))).plus(Layers.sum(other.times(2)));
  private final Executor executor = new Executor(CTX, loss);

  private void expect(double ofWeight, double ofBias, double ofOther) {
    assertThat(executor.tensor(weight).item()).as("a.weight").isCloseTo(ofWeight, within(1e-6));
    assertThat(executor.tensor(bias).item()).as("a.bias").isCloseTo(ofBias, within(1e-6));
    assertThat(executor.tensor(other).item()).as("b.bias").isCloseTo(ofOther, within(1e-6));
  }

  @Test
  void groupsHaveTheirRates() {
    Optimizer optimizer =
        Optimizer.sgd(0.1).group("*.bias", g -> g.rate(0.01)).group("b.*", g -> g.rate(0));
    executor.step(loss, optimizer);
    expect(0.5 - 0.3, 2 - 0.04, 1);
  }

  @Test
  void groupsHaveSchedulesInUpdatesOfTheOptimizer() {
    Optimizer optimizer =
        Optimizer.sgd(0.1).group("*.bias", g -> g.rate(Schedule.step(0.01, 0.5, 1)));
    executor.step(loss, optimizer);
    executor.step(loss, optimizer);
    expect(0.5 - 0.6, 2 - 0.04 * 1.5, 1 - 0.02 * 1.5);
  }

  @Test
  void decayIsThatOfTheLastGroupWithADecay() {
    Optimizer optimizer =
        Optimizer.sgd(0.1)
            .group("a.*", g -> g.decay(0.25))
            .group("a.bias", g -> g.rate(0.2))
            .decay(0.5);
    executor.step(loss, optimizer);
    expect(0.5 - 0.1 * (3 + 0.25 * 0.5), 2 - 0.2 * (4 + 0.25 * 2), 1 - 0.1 * (2 + 0.5 * 1));
  }

  @Test
  void decayIsDecoupledForOptimizersWithDecoupledDecay() {
    Optimizer optimizer =
        Optimizer.adamW(Schedule.constant(0.1), 0.9, 0.999, 0, 0.5)
            .group("a.bias", g -> g.decay(0.25))
            .clip(1);
    executor.step(loss, optimizer);
    expect(0.5 - 0.1 * (1 + 0.5 * 0.5), 2 - 0.1 * (1 + 0.25 * 2), 1 - 0.1 * (1 + 0.5 * 1));
  }

  @Test
  void decayOfPlainAdamIsRegularization() {
    var plain = new Executor(CTX, loss);
    Optimizer grouped = Optimizer.adam(0.1).group("*", g -> g.decay(0.5));
    Optimizer whole = Optimizer.adam(0.1).decay(0.5);
    for (int k = 0; k < 3; k++) {
      executor.step(loss, grouped);
      plain.step(loss, whole);
    }
    assertThat(executor.tensor(weight).item()).isEqualTo(plain.tensor(weight).item());
  }

  @Test
  void biasesHaveNoDecayByOneWord() {
    executor.step(loss, Optimizer.sgd(0.1).decay(0.5).noBiasDecay());
    expect(0.5 - 0.1 * (3 + 0.5 * 0.5), 2 - 0.4, 1 - 0.2);
    Variable<F64> sum = Layers.sum(weight);
    var alone = new Executor(CTX, sum);
    alone.step(sum, Optimizer.sgd(0.1).noBiasDecay());
    assertThat(alone.tensor(weight).item()).isCloseTo(0.4, within(1e-6));
  }

  @Test
  void groupsClipTheirGradientsTogether() {
    executor.step(loss, Optimizer.sgd(1).group("a.*", g -> g.clip(1)));
    expect(0.5 - 0.6, 2 - 0.8, 1 - 2);
    executor.step(
        loss, Optimizer.sgd(1).named("own").clip(1).group("b.*", g -> g.clip(0.5).rate(2)));
    expect(0.5 - 0.6 - 0.6, 2 - 0.8 - 0.8, 1 - 2 - 1);
    executor.step(
        loss,
        Optimizer.sgd(1).named("free").clip(1).group("b.*", g -> g.clip(Double.POSITIVE_INFINITY)));
    expect(0.5 - 0.6 * 3, 2 - 0.8 * 3, 1 - 2 - 1 - 2);
  }

  @Test
  void groupsOfBiasesAreOneKernelMore() {
    Variable<F32> x = Variable.input("x", F32, -1, 4);
    Variable<F32> v = x;
    for (int k = 0; k < 3; k++) {
      v = Layers.tanh(Layers.layerNorm("norm" + k, Layers.dense("fc" + k, v, 4)));
    }
    Variable<F32> mean = Layers.mean(v);
    var deep = new Executor(CTX, 1, mean);
    deep.set(x, uniform(F32, 3, 5, 4));
    deep.backward(mean);
    int gradients = deep.explain().kernelCount();
    deep.step(mean, Optimizer.adamW(0.1));
    assertThat(deep.explain().kernelCount() - gradients).isEqualTo(1);
    deep.step(mean, Optimizer.adamW(0.1).named("groups").group("*.bias", g -> g.rate(0.2)));
    assertThat(deep.explain().kernelCount() - gradients).isEqualTo(3);
    deep.step(mean, Optimizer.adamW(0.1).named("matrices").noBiasDecay());
    assertThat(deep.explain().kernelCount() - gradients).isEqualTo(2);
  }

  @Test
  void groupsResumeToTheSameBits(@TempDir Path folder) {
    Path file = folder.resolve("model.safetensors");
    for (boolean resumed : new boolean[] {false, true}) {
      Variable<F32> x = Variable.input("x", F32, -1, 4);
      Variable<F32> mean = Layers.mean(Layers.square(Layers.dense("fc", x, 3)));
      var model = new Executor(CTX, 1, mean);
      model.set(x, uniform(F32, 3, 5, 4));
      Optimizer first =
          Optimizer.adamW(0.1)
              .only("*.weight")
              .group("*", g -> g.rate(Schedule.cosine(0.2, 9)).clip(0.1))
              .average(0.9);
      Optimizer second = Optimizer.momentum(Schedule.constant(0.1), 0.9, true).only("fc.bias");
      if (resumed) {
        model.restore(file);
      }
      for (int k = resumed ? 3 : 0; k < 6; k++) {
        if (k == 3 && !resumed) {
          model.save(file);
        }
        model.step(mean, first);
        model.step(mean, second);
      }
      float[] weight = model.tensor(model.parameters().get(0)).as(F32).toFloatArray();
      float[] bias = model.tensor(model.parameters().get(1)).as(F32).toFloatArray();
      if (!resumed) {
        straightWeight = weight;
        straightBias = bias;
      } else {
        assertThat(weight).isEqualTo(straightWeight);
        assertThat(bias).isEqualTo(straightBias);
      }
    }
  }

  private float[] straightWeight;
  private float[] straightBias;

  @Test
  void messages() {
    assertThatThrownBy(() -> executor.step(loss, Optimizer.sgd(1).group("*.bais", g -> g.rate(1))))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[optimizer] a pattern must match the name of a parameter; got \"*.bais\"; the nearest"
                + " name is b.bias.");
    assertThatThrownBy(
            () -> executor.step(loss, Optimizer.sgd(1).only("a.*").group("b.bias", g -> g.rate(1))))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[optimizer] a pattern must match the name of a parameter; got \"b.bias\"; the nearest"
                + " name is a.bias.");
    assertThatThrownBy(() -> Optimizer.sgd(1).group("a.*", g -> g.rate(-1)))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[optimizer] a learning rate must be finite and at least 0; got -1.0.");
    assertThatThrownBy(() -> Optimizer.sgd(1).group("a.*", g -> g.decay(-1)))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[optimizer] the decay must be at least 0; got -1.0.");
    assertThatThrownBy(() -> Optimizer.sgd(1).group("a.*", g -> g.clip(0)))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[optimizer] the maximum gradient norm must be above 0; got 0.0.");
  }
}
