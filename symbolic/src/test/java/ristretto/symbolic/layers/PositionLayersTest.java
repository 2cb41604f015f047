package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.*;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Variable;

/** Positional encodings beside loops in double precision. */
class PositionLayersTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static double[] rotated(double[] v, int[] steps, int width, double base) {
    double[] y = new double[v.length];
    for (int row = 0; row < v.length / width; row++) {
      for (int i = 0; i < width / 2; i++) {
        double angle = steps[row] * Math.pow(base, -2.0 * i / width);
        double a = v[row * width + i];
        double b = v[row * width + width / 2 + i];
        y[row * width + i] = a * Math.cos(angle) - b * Math.sin(angle);
        y[row * width + width / 2 + i] = b * Math.cos(angle) + a * Math.sin(angle);
      }
    }
    return y;
  }

  @Test
  void rotaryFollowsTheFormula() {
    Variable<F64> v = Variable.input("v", F64, -1, 3, -1, 14);
    Variable<F64> y = rotary(v, 10_000);
    assertThat(y.dims()).isEqualTo(Dims.of(-1, 3, -1, 14));
    var executor = new Executor(CTX, y);
    for (int steps : new int[] {1, 5, 11}) {
      Tensor<F64> value = CTX.eval(normal(F64, 1, 2, 3, steps, 14));
      executor.set(v, value);
      executor.forward();
      int[] numbers = new int[6 * steps];
      for (int row = 0; row < numbers.length; row++) {
        numbers[row] = row % steps;
      }
      assertThat(executor.tensor(y).toDoubleArray())
          .containsExactly(rotated(value.toDoubleArray(), numbers, 14, 10_000), within(1e-12));
    }
  }

  @Test
  void rotaryOfGivenTimeSteps() {
    Variable<F64> v = Variable.input("v", F64, 2, -1, 6);
    Variable<I32> positions = Variable.input("positions", I32, -1, -1);
    Variable<F64> y = rotary(v, 500, positions);
    var executor = new Executor(CTX, y);
    Tensor<F64> value = CTX.eval(normal(F64, 1, 2, 3, 6));
    executor.set(v, value);
    executor.set(positions, CTX.tensor(new int[] {7, 8, 9, 0, 2, 1}, 2, 3));
    executor.forward();
    assertThat(executor.tensor(y).toDoubleArray())
        .containsExactly(
            rotated(value.toDoubleArray(), new int[] {7, 8, 9, 0, 2, 1}, 6, 500), within(1e-12));
    executor.set(positions, CTX.tensor(new int[] {4, 5, 6}, 1, 3));
    executor.forward();
    assertThat(executor.tensor(y).toDoubleArray())
        .containsExactly(
            rotated(value.toDoubleArray(), new int[] {4, 5, 6, 4, 5, 6}, 6, 500), within(1e-12));
  }

  /** The frequencies have a relative error of few units in the last place of F32. */
  @Test
  void anglesOfLongSequencesInSinglePrecision() {
    int steps = 4001;
    int width = 128;
    Variable<F32> v = Variable.input("v", F32, steps, width);
    Variable<F32> y = rotary(v, 500_000);
    var executor = new Executor(CTX, y);
    executor.set(v, CTX.ones(F32, steps, width));
    executor.forward();
    float[] rows = executor.tensor(y).toFloatArray();
    for (int t : new int[] {1, 63, 4000}) {
      for (int i = 0; i < width / 2; i++) {
        double angle = t * Math.pow(500_000, -2.0 * i / width);
        assertThat((double) rows[t * width + i])
            .as("%s, %s", t, i)
            .isCloseTo(Math.cos(angle) - Math.sin(angle), within(1e-6 + 5e-7 * angle));
      }
    }
  }

  @Test
  void sinusoidsFollowTheFormula() {
    for (int width : new int[] {1, 7, 16}) {
      Variable<F64> v = Variable.input("v", F64, -1, -1, width);
      Variable<F64> y = sinusoidal(v);
      assertThat(y.dims()).isEqualTo(Dims.of(-1, width));
      Variable<F64> sum = v.plus(y);
      var executor = new Executor(CTX, y, sum);
      executor.set(v, CTX.ones(F64, 3, 13, width));
      executor.forward();
      double[] expected = new double[13 * width];
      for (int t = 0; t < 13; t++) {
        for (int c = 0; c < width; c++) {
          double angle = t * Math.pow(10_000, -2.0 * (c / 2) / width);
          expected[t * width + c] = c % 2 == 0 ? Math.sin(angle) : Math.cos(angle);
        }
      }
      assertThat(executor.tensor(y).toDoubleArray()).containsExactly(expected, within(1e-12));
      assertThat(executor.tensor(sum).toDoubleArray()[26 * width])
          .isCloseTo(1 + expected[0], within(1e-12));
    }
  }

  @Test
  void messages() {
    Variable<F32> odd = Variable.input("odd", F32, -1, 7);
    assertThatThrownBy(() -> rotary(odd, 10_000))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[rotary] the input must be [..., steps, width] with a known even width; got odd"
                + " f32[?,7].");
    Variable<F32> v = Variable.input("v", F32, -1, 8);
    assertThatThrownBy(() -> rotary(v, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[rotary] the base must be finite and above 1; got 1.0.");
    Variable<F32> flat = Variable.input("flat", F32, 8);
    assertThatThrownBy(() -> sinusoidal(flat))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[sinusoidal] the input must be [..., steps, width] with a known width; got flat"
                + " f32[8].");
  }
}
