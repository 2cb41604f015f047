package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.uniform;
import static ristretto.symbolic.Layers.conv;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.flatten;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.tanh;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;

/** Runs compute gradients of those parameters only that are trained. */
class FreezeTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Encoder with two layers, and a head. */
  private static final class Model {
    final Variable<F32> x = Variable.input("x", F32, -1, 7);
    final Variable<F32> code = tanh(dense("encoder.1", tanh(dense("encoder.0", x, 5)), 3));
    final Variable<F32> loss = mean(Layers.square(dense("head", code, 2)));
    final Executor executor = new Executor(CTX, 3, loss);

    Model() {
      executor.set(x, uniform(F32, 1, 11, 7));
    }

    int backwardKernels() {
      executor.backward(loss);
      return executor.explain().kernelCount();
    }

    Variable<?> parameter(String name) {
      return executor.parameters().stream()
          .filter(v -> v.name().equals(name))
          .findFirst()
          .orElseThrow();
    }

    float[] values(String name) {
      return executor.tensor(parameter(name)).as(F32).toFloatArray();
    }

    float[] gradient(String name) {
      return executor.gradientOf(parameter(name)).as(F32).toFloatArray();
    }
  }

  @Test
  void frozenParametersKeepTheirBits() {
    for (Optimizer optimizer :
        List.of(
            Optimizer.adamW(0.01),
            Optimizer.sgd(0.1).decay(0.5).clip(0.01),
            Optimizer.adam(0.1).average(0.9))) {
      var model = new Model();
      float[] weight = model.values("encoder.0.weight");
      float[] bias = model.values("encoder.1.bias");
      float[] head = model.values("head.weight");
      model.executor.freeze("encoder.*");
      for (int k = 0; k < 3; k++) {
        model.executor.step(model.loss, optimizer);
        model.executor.backward(model.loss);
        model.executor.update(optimizer);
      }
      assertThat(model.values("encoder.0.weight")).isEqualTo(weight);
      assertThat(model.values("encoder.1.bias")).isEqualTo(bias);
      assertThat(model.values("head.weight")).isNotEqualTo(head);
      model.executor.unfreeze("encoder.0.*");
      assertThat(model.executor.frozen())
          .containsExactly(model.parameter("encoder.1.weight"), model.parameter("encoder.1.bias"));
      model.executor.step(model.loss, optimizer);
      assertThat(model.values("encoder.0.weight")).isNotEqualTo(weight);
      assertThat(model.values("encoder.1.bias")).isEqualTo(bias);
    }
  }

  @Test
  void frozenParametersHaveNoGradientKernels() {
    var model = new Model();
    int all = model.backwardKernels();
    float[] gradient = model.gradient("head.weight");
    model.executor.freeze("encoder.0.*");
    int withoutFirst = model.backwardKernels();
    model.executor.freeze("encoder.*");
    int headOnly = model.backwardKernels();
    assertThat(model.gradient("head.weight")).isEqualTo(gradient);
    model.executor.freeze("head.weight");
    int biasOnly = model.backwardKernels();
    model.executor.unfreeze("*");
    assertThat(model.backwardKernels()).isEqualTo(all);
    assertThat(List.of(all, withoutFirst, headOnly, biasOnly)).isEqualTo(List.of(18, 14, 10, 8));
  }

  @Test
  void frozenFiltersHaveNoGradientKernels() {
    for (boolean own : new boolean[] {true, false}) {
      try (Context ctx = LibraryContexts.open(own ? "own" : "auto", 2)) {
        Variable<F32> x = Variable.input("x", F32, -1, 2, 5, 5);
        Window window = Window.of(3, 3).padding(1, 1);
        Variable<F32> y = conv("b", tanh(conv("a", x, 3, window)), 2, window);
        Variable<F32> loss = mean(Layers.square(dense("head", flatten(y), 1)));
        var executor = new Executor(ctx, 3, loss);
        executor.set(x, uniform(F32, 1, 3, 2, 5, 5));
        executor.backward(loss);
        Variable<?> a = executor.parameters().getFirst();
        float[] gradient = executor.gradientOf(a).as(F32).toFloatArray();
        int all = executor.explain().kernelCount();
        executor.freeze("b.*");
        executor.backward(loss);
        int withoutSecond = executor.explain().kernelCount();
        assertThat(executor.gradientOf(a).as(F32).toFloatArray()).isEqualTo(gradient);
        executor.unfreeze("b.*");
        executor.freeze("a.*");
        executor.backward(loss);
        int withoutFirst = executor.explain().kernelCount();
        assertThat(withoutSecond).as("own %s", own).isLessThan(all);
        assertThat(withoutFirst).as("own %s", own).isLessThan(all);
      }
    }
  }

  @Test
  void optimizersOfPartsComputeTheirGradientsOnly() {
    var model = new Model();
    Optimizer head = Optimizer.adam(0.1).only("head.*");
    Optimizer encoder = Optimizer.adam(0.1).only(v -> v.name().startsWith("encoder."));
    float[] weight = model.values("encoder.0.weight");
    float[] bias = model.values("head.bias");
    model.executor.step(model.loss, head);
    int kernels = model.executor.explain().kernelCount();
    assertThat(model.values("encoder.0.weight")).isEqualTo(weight);
    assertThat(model.values("head.bias")).isNotEqualTo(bias);
    bias = model.values("head.bias");
    model.executor.step(model.loss, encoder);
    assertThat(model.values("encoder.0.weight")).isNotEqualTo(weight);
    assertThat(model.values("head.bias")).isEqualTo(bias);
    model.executor.freeze("encoder.*");
    // The update of the weights and that of the biases are the two kernels more.
    assertThat(kernels).isEqualTo(model.backwardKernels() + 2);
    // An update after a backward pass of all parameters.
    model.executor.unfreeze("*");
    weight = model.values("encoder.0.weight");
    model.executor.backward(model.loss);
    model.executor.update(head);
    assertThat(model.values("encoder.0.weight")).isEqualTo(weight);
    assertThat(model.values("head.bias")).isNotEqualTo(bias);
  }

  @Test
  void clippingIgnoresStaleGradients() {
    var model = new Model();
    var other = new Model();
    Optimizer optimizer = Optimizer.sgd(0.1).clip(1e-3);
    model.executor.backward(model.loss);
    model.executor.freeze("encoder.*");
    other.executor.freeze("encoder.*");
    model.executor.step(model.loss, optimizer);
    other.executor.step(other.loss, optimizer);
    assertThat(model.values("head.weight")).isEqualTo(other.values("head.weight"));
  }

  @Test
  void gradientsThatTheLastRunDidNotComputeAreErrors() {
    var model = new Model();
    model.executor.backward(model.loss);
    model.executor.freeze("encoder.*");
    assertThat(model.gradient("encoder.0.bias")).hasSize(5);
    model.executor.backward(model.loss);
    assertThatThrownBy(() -> model.gradient("encoder.0.bias"))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradientOf] the last run must have computed the gradient; got encoder.0.bias f32[5],"
                + " which is frozen or which the optimizer of that run does not update; unfreeze"
                + " it, or call backward(loss).");
  }

  @Test
  void lossesOfFrozenParametersAreErrors() {
    var model = new Model();
    Variable<F32> own = Variable.parameter("own", F32, Initializer.ones(), 2);
    Variable<F32> apart = mean(own);
    var executor = new Executor(CTX, 3, model.loss, apart);
    executor.set(model.x, uniform(F32, 1, 11, 7));
    Optimizer optimizer = Optimizer.sgd(0.1).only("own");
    assertThatThrownBy(() -> executor.step(model.loss, optimizer))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[backward] a parameter that is neither frozen nor left to other optimizers must"
                + " influence the loss; got mean f32[], which none of them reaches; unfreeze a"
                + " parameter that does, or use an optimizer that updates one.");
    executor.backward(model.loss);
    assertThatThrownBy(() -> executor.update(optimizer))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[update] the last backward pass must have reached a parameter that is not frozen and"
                + " that the optimizer updates; got encoder.0.weight f32[7,5]; unfreeze it, or use"
                + " an optimizer that updates it.");
  }

  @Test
  void patternsThatMatchNothingNameTheNearest() {
    var model = new Model();
    assertThatThrownBy(() -> model.executor.freeze("head.*", "encodr.1.bias"))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[freeze] a pattern must match the name of a parameter; got \"encodr.1.bias\"; the"
                + " nearest name is encoder.1.bias.");
    assertThat(model.executor.frozen()).isEmpty();
    assertThatThrownBy(() -> model.executor.unfreeze("haed.*"))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[unfreeze] a pattern must match the name of a parameter; got \"haed.*\"; the nearest"
                + " name is head.weight.");
    assertThatThrownBy(() -> model.executor.freeze())
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[freeze] at least one pattern must be given; got none; \"*\" matches all names.");
    assertThatThrownBy(() -> model.executor.step(model.loss, Optimizer.sgd(1).only("head.bais")))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[optimizer] a pattern must match the name of a parameter; got \"head.bais\"; the"
                + " nearest name is head.bias.");
    assertThatThrownBy(() -> model.executor.step(model.loss, Optimizer.sgd(1).only(_ -> false)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[optimizer] a predicate must hold for at least one parameter; got one that holds for"
                + " none of 6; print executor.parameters() for their names.");
    Variable<F32> x = Variable.input("x", F32);
    var empty = new Executor(CTX, x.times(2));
    assertThatThrownBy(() -> empty.freeze("a"))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[freeze] a pattern must match the name of a parameter; got \"a\"; the model has no"
                + " parameters to choose from.");
    Executor shares = model.executor.sharing(model.code);
    assertThatThrownBy(() -> shares.freeze("*"))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[freeze] only the executor that owns the parameters may train them; got one that"
                + " shares them; train the owner.");
  }
}
