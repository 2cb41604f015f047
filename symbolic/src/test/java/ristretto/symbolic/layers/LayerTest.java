package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.square;
import static ristretto.symbolic.Layers.sum;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Shared;
import ristretto.symbolic.graph.Variable;

/** Layers as values: shared parameters, names, options and messages. */
class LayerTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F64> a = Variable.input("a", F64, -1, 3);
  private final Variable<F64> b = Variable.input("b", F64, -1, 3);

  private Executor executor(Variable<?>... outputs) {
    var executor = new Executor(CTX, 3, outputs);
    executor.set(a, normal(F64, 3, 5, 3));
    if (executor.inputs().contains(b)) {
      executor.set(b, normal(F64, 4, 5, 3));
    }
    return executor;
  }

  /** Layer of a user with a residual connection. */
  private record Residual(Layer inner) implements Layer {
    @Override
    public <T> Variable<T> of(Variable<T> v) {
      return inner.of(v).plus(v);
    }
  }

  @Test
  void applicationsShareParameters() {
    var encoder = Sequential.of(new Dense("first", 4), Layers::tanh, new Dense("second", 2));
    Variable<F64> loss = sum(square(encoder.of(a).minus(encoder.of(b).times(2))));
    Executor executor = executor(loss);
    assertThat(executor.parameters())
        .extracting(Variable::toString)
        .containsExactly(
            "first.weight f64[3,4]",
            "first.bias f64[4]",
            "second.weight f64[4,2]",
            "second.bias f64[2]");
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void oneInputGivesEqualOutputsTwice() {
    var layer = new Dense("d", 4);
    Variable<F64> first = layer.of(a);
    Variable<F64> second = layer.of(a);
    Executor executor = executor(first, second);
    executor.forward();
    assertThat(executor.tensor(first).toDoubleArray())
        .containsExactly(executor.tensor(second).toDoubleArray());
  }

  @Test
  void denseComputesTheProduct() {
    Variable<F64> y = new Dense("d", 2).bias(Initializer.constant(0.5)).of(a);
    Variable<F64> plain = new Dense("p", 2).bias(false).weight(Initializer.ones()).of(a);
    Executor executor = executor(y, plain);
    assertThat(executor.parameters())
        .extracting(Variable::name)
        .containsExactly("d.weight", "d.bias", "p.weight");
    executor.forward();
    double[] x = executor.tensor(a).toDoubleArray();
    double[] w = executor.tensor(executor.parameters().get(0)).as(F64).toDoubleArray();
    double[] result = executor.tensor(y).toDoubleArray();
    double[] sums = executor.tensor(plain).toDoubleArray();
    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < 2; j++) {
        double expected = 0.5;
        double total = 0;
        for (int k = 0; k < 3; k++) {
          expected += x[i * 3 + k] * w[k * 2 + j];
          total += x[i * 3 + k];
        }
        assertThat(result[i * 2 + j]).isCloseTo(expected, within(1e-12));
        assertThat(sums[i * 2 + j]).isCloseTo(total, within(1e-12));
      }
    }
  }

  @Test
  void userDefinedLayersAreChained() {
    var blocks =
        List.of(new Residual(new Dense("block.0", 3)), new Residual(new Dense("block.1", 3)));
    Variable<F64> loss = sum(square(Sequential.of(blocks).of(a)));
    Executor executor = executor(loss);
    assertThat(executor.parameters())
        .extracting(Variable::name)
        .containsExactly("block.0.weight", "block.0.bias", "block.1.weight", "block.1.bias");
    assertThat(Sequential.of(blocks).layers()).containsExactlyElementsOf(blocks);
    GradientCheck.of(CTX, executor, loss);
  }

  /** Functions with further arguments, applied to two dtypes. */
  @Test
  void functionsAreLayers() {
    Layer leaky = Layer.of(v -> Layers.leakyRelu(v, 0.2));
    Variable<F64> loss = sum(square(Sequential.of(new Dense("d", 3), leaky).of(a)));
    Executor executor = executor(loss);
    GradientCheck.of(CTX, executor, loss);
    Variable<F32> x = Variable.input("x", F32, 3);
    Variable<F32> narrow = leaky.of(x);
    var other = new Executor(CTX, narrow);
    other.set(x, CTX.tensor(new float[] {-5, 0, 5}));
    other.forward();
    assertThat(other.tensor(narrow).toFloatArray()).containsExactly(-1, 0, 5);
  }

  @Test
  void layersWithinSharedParts() {
    var layer = new Dense("outside", 3);
    var part = Shared.of((Variable<F64> v) -> new Dense("inside", 3).of(layer.of(v)));
    Executor executor = executor(sum(part.of(a).plus(part.of(b)).plus(layer.of(a))));
    assertThat(executor.parameters())
        .extracting(Variable::name)
        .containsExactlyInAnyOrder(
            "outside.weight", "outside.bias", "inside.weight", "inside.bias");
  }

  @Test
  void oneLineFormsAreTheSame() {
    Variable<F64> line = Layers.dense("d", a, 4);
    Variable<F64> value = new Dense("d", 4).of(a);
    Executor first = executor(line);
    Executor second = executor(value);
    first.forward();
    second.forward();
    assertThat(first.tensor(line).toDoubleArray())
        .containsExactly(second.tensor(value).toDoubleArray());
  }

  @Test
  void inputsOfAnotherWidthOrType() {
    var layer = new Dense("enc", 4);
    layer.of(a);
    Variable<F64> wide = Variable.input("wide", F64, -1, 7);
    assertThatThrownBy(() -> layer.of(wide))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[enc] each input of a layer must have the width and the dtype of its first input; got"
                + " wide f64[?,7], which needs weight f64[7,4], but the first one made enc.weight"
                + " f64[3,4]; create another layer for this input.");
    Variable<F32> single = Variable.input("single", F32, -1, 3);
    assertThatThrownBy(() -> layer.of(single))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[enc] each input of a layer must have the width and the dtype of its first input; got"
                + " single f32[?,3], which needs weight f32[3,4], but the first one made enc.weight"
                + " f64[3,4]; create another layer for this input.");
    Variable<F64> unknown = Variable.input("unknown", F64, -1, -1);
    assertThatThrownBy(() -> layer.of(unknown))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[enc] the last dimension of the input must be known; got unknown f64[?,?]; declare it,"
                + " or reshape the input to a known width.");
  }

  @Test
  void optionsAfterTheFirstApplication() {
    var layer = new Dense("enc", 4);
    layer.of(a);
    assertThatThrownBy(() -> layer.bias(false))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[enc] options must be set before the first application of a layer; got bias(false)"
                + " after it; set it where the layer is created.");
    assertThatThrownBy(() -> new Dense("enc", 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[enc] a layer must have at least one unit; got 0.");
  }
}
