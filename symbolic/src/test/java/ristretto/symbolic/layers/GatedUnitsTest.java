package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.*;

import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Gated units, exact GELU, and dropout of channels and samples. */
class GatedUnitsTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static double sigmoid(double a) {
    return 1 / (1 + Math.exp(-a));
  }

  @Test
  void gatedUnitsFollowTheFormula() {
    Variable<F64> v = Variable.input("v", F64, -1, 10);
    Variable<F64> glu = glu(v);
    Variable<F64> swiGlu = swiGlu(v);
    assertThat(glu.dims()).isEqualTo(Dims.of(-1, 5));
    var executor = new Executor(CTX, glu, swiGlu);
    Tensor<F64> value = CTX.eval(normal(F64, 1, 3, 10));
    executor.set(v, value);
    executor.forward();
    double[] a = value.toDoubleArray();
    for (int row = 0; row < 3; row++) {
      for (int c = 0; c < 5; c++) {
        double first = a[row * 10 + c];
        double second = a[row * 10 + 5 + c];
        assertThat(executor.tensor(glu).toDoubleArray()[row * 5 + c])
            .isCloseTo(first * sigmoid(second), within(1e-12));
        assertThat(executor.tensor(swiGlu).toDoubleArray()[row * 5 + c])
            .isCloseTo(first * sigmoid(first) * second, within(1e-12));
      }
    }
  }

  /** Values of the normal distribution function from tables. */
  @Test
  void exactGelu() {
    Variable<F64> v = Variable.input("v", F64, -1);
    Variable<F64> y = geluErf(v);
    var executor = new Executor(CTX, y);
    executor.set(v, CTX.tensor(new double[] {-3, -1, 0, 0.5, 2}));
    executor.forward();
    assertThat(executor.tensor(y).toDoubleArray())
        .containsExactly(
            new double[] {
              -3 * 0.0013498980316300946,
              -0.15865525393145705,
              0,
              0.5 * 0.6914624612740131,
              2 * 0.9772498680518208
            },
            within(1e-12));
  }

  @Test
  void channelsAndSamplesAreDroppedWhole() {
    Variable<F32> scale = Variable.parameter("scale", F32, Initializer.ones(), 1);
    Variable<F32> x = Variable.input("x", F32, -1, 31, 2, 3);
    Variable<F32> channels = channelDropout(x.times(scale), 0.25);
    Variable<F32> samples = dropPath(x.times(scale), 0.5);
    Variable<F32> loss = mean(channels).plus(mean(samples));
    var executor = new Executor(CTX, channels, samples, loss);
    executor.set(x, CTX.ones(F32, 101, 31, 2, 3));
    executor.forward();
    assertThat(executor.tensor(loss).item()).isEqualTo(2);
    executor.backward(loss);
    requireWhole(executor.tensor(channels).toFloatArray(), 6, 1 / 0.75f, 0.75);
    requireWhole(executor.tensor(samples).toFloatArray(), 186, 2, 0.5);
    // Dropped elements have no gradient: both passes have the same random numbers.
    assertThat(executor.gradientOf(scale).item())
        .isCloseTo(executor.tensor(loss).item(), within(1e-5));
  }

  private static void requireWhole(float[] values, int size, float kept, double share) {
    int number = 0;
    for (int from = 0; from < values.length; from += size) {
      float first = values[from];
      assertThat(first == 0 || first == kept).as("%s", first).isTrue();
      for (float e : Arrays.copyOfRange(values, from, from + size)) {
        assertThat(e).isEqualTo(first);
      }
      number += first == 0 ? 0 : 1;
    }
    int all = values.length / size;
    assertThat((double) number / all)
        .isCloseTo(share, within(4 * Math.sqrt(share * (1 - share) / all)));
  }

  @Test
  void messages() {
    Variable<F32> v = Variable.input("v", F32, -1);
    assertThatThrownBy(() -> channelDropout(v, 0.5))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[channelDropout] the input must have at least two axes; got v f32[?].");
    assertThatThrownBy(() -> dropPath(v, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[dropPath] the rate must be at least 0 and below 1; got 1.0.");
    Variable<F32> odd = Variable.input("odd", F32, -1, 3);
    assertThatThrownBy(() -> glu(odd))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[glu] the inputs must fit the operator; got odd f32[?,3]: [split] the axis must divide"
                + " into equal parts; got 2 parts of axis 1 of f32[?,3]; use slice for unequal"
                + " ones.");
  }
}
