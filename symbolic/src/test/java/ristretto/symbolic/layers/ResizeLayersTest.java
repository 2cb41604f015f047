package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.*;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Variable;

/** Upsampling, adaptive pooling and pixel shuffles beside loops. */
class ResizeLayersTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static final int PLANES = 6;

  /** Applies a layer to {@code [2, 3, h, w]}, for unknown and known sizes. */
  private static double[] run(
      java.util.function.UnaryOperator<Variable<F64>> layer, Tensor<F64> value, long... dims) {
    double[] result = null;
    for (Variable<F64> v :
        java.util.List.of(
            Variable.input("v", F64, -1, 3, -1, -1),
            Variable.input("v", F64, value.shape().toArray()))) {
      Variable<F64> y = layer.apply(v);
      var executor = new Executor(CTX, y);
      executor.set(v, value);
      executor.forward();
      assertThat(executor.tensor(y).shape().toArray()).containsExactly(dims);
      assertThat(y.dims().accepts(executor.tensor(y).shape())).isTrue();
      double[] values = executor.tensor(y).toDoubleArray();
      result = result == null ? values : result;
      assertThat(values).containsExactly(result);
    }
    return result;
  }

  /** Source position of an upsampled element, within the axis. */
  private static double source(int k, int factor, int size) {
    return Math.clamp((k + 0.5) / factor - 0.5, 0, size - 1);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 2, 3", "5, 7, 2, 3", "4, 3, 3, 1", "3, 1, 4, 5"})
  void upsampling(int h, int w, int fh, int fw) {
    Tensor<F64> value = CTX.eval(normal(F64, 1, 2, 3, h, w));
    double[] v = value.toDoubleArray();
    double[] nearest = run(a -> upsample(a, fh, fw), value, 2, 3, (long) h * fh, (long) w * fw);
    double[] linear =
        run(a -> upsampleLinear(a, fh, fw), value, 2, 3, (long) h * fh, (long) w * fw);
    int k = 0;
    for (int plane = 0; plane < PLANES; plane++) {
      for (int i = 0; i < h * fh; i++) {
        for (int j = 0; j < w * fw; j++) {
          int from = plane * h * w;
          assertThat(nearest[k]).isEqualTo(v[from + i / fh * w + j / fw]);
          double y = source(i, fh, h);
          double x = source(j, fw, w);
          int y0 = (int) y;
          int x0 = (int) x;
          int y1 = Math.min(y0 + 1, h - 1);
          int x1 = Math.min(x0 + 1, w - 1);
          double top = v[from + y0 * w + x0] * (1 - x + x0) + v[from + y0 * w + x1] * (x - x0);
          double bottom = v[from + y1 * w + x0] * (1 - x + x0) + v[from + y1 * w + x1] * (x - x0);
          assertThat(linear[k])
              .as("%s, %s", i, j)
              .isCloseTo(top * (1 - y + y0) + bottom * (y - y0), within(1e-12));
          k++;
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1, 1", "7, 5, 1, 1", "7, 5, 3, 2", "6, 8, 3, 4", "3, 2, 5, 3", "11, 4, 7, 4"})
  void adaptivePooling(int h, int w, int oh, int ow) {
    Tensor<F64> value = CTX.eval(normal(F64, 1, 2, 3, h, w));
    double[] v = value.toDoubleArray();
    double[] mean = run(a -> adaptiveAveragePool(a, oh, ow), value, 2, 3, oh, ow);
    double[] max = run(a -> adaptiveMaxPool(a, oh, ow), value, 2, 3, oh, ow);
    int k = 0;
    for (int plane = 0; plane < PLANES; plane++) {
      for (int i = 0; i < oh; i++) {
        for (int j = 0; j < ow; j++) {
          double sum = 0;
          double largest = Double.NEGATIVE_INFINITY;
          int count = 0;
          for (int y = i * h / oh; y < Math.ceilDiv((i + 1) * h, oh); y++) {
            for (int x = j * w / ow; x < Math.ceilDiv((j + 1) * w, ow); x++) {
              double e = v[(plane * h + y) * w + x];
              sum += e;
              largest = Math.max(largest, e);
              count++;
            }
          }
          assertThat(mean[k]).as("%s, %s", i, j).isCloseTo(sum / count, within(1e-12));
          assertThat(max[k]).as("%s, %s", i, j).isEqualTo(largest);
          k++;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void pixelShuffles(int factor) {
    int h = 5;
    int w = 3;
    int blocks = factor * factor;
    Variable<F64> v = Variable.input("v", F64, -1, 2 * blocks, -1, -1);
    Variable<F64> y = pixelShuffle(v, factor);
    Variable<F64> back = pixelUnshuffle(y, factor);
    assertThat(y.dims()).isEqualTo(Dims.of(-1, 2, -1, -1));
    assertThat(back.dims().at(1)).isEqualTo(2 * blocks);
    var executor = new Executor(CTX, y, back);
    Tensor<F64> value = CTX.eval(normal(F64, 1, 3, 2 * blocks, h, w));
    executor.set(v, value);
    executor.forward();
    double[] from = value.toDoubleArray();
    double[] to = executor.tensor(y).toDoubleArray();
    assertThat(executor.tensor(back).toDoubleArray()).containsExactly(from);
    int k = 0;
    for (int n = 0; n < 3; n++) {
      for (int c = 0; c < 2; c++) {
        for (int i = 0; i < h * factor; i++) {
          for (int j = 0; j < w * factor; j++) {
            int channel = c * blocks + i % factor * factor + j % factor;
            int at = ((n * 2 * blocks + channel) * h + i / factor) * w + j / factor;
            assertThat(to[k++]).isEqualTo(from[at]);
          }
        }
      }
    }
  }

  @Test
  void messages() {
    Variable<F64> v = Variable.input("v", F64, -1, 6, 5, 4);
    assertThatThrownBy(() -> upsample(v, 2, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[upsample] there must be a factor of at least 1 for one or more of the last axes; got"
                + " [2, 0] for v f64[?,6,5,4].");
    assertThatThrownBy(() -> adaptiveMaxPool(v, 1, 1, 1, 1, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[adaptiveMaxPool] there must be a size of at least 1 for one or more of the last axes;"
                + " got [1, 1, 1, 1, 1] for v f64[?,6,5,4].");
    assertThatThrownBy(() -> pixelShuffle(v, 2))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[pixelShuffle] the input must be [..., c, h, w] with a known number of channels that"
                + " the squared factor divides; got v f64[?,6,5,4] and factor 2.");
    assertThatThrownBy(() -> pixelUnshuffle(v, 2))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[pixelUnshuffle] the input must be [..., c, h, w] with a known number of channels, and"
                + " the factor must divide height and width; got v f64[?,6,5,4] and factor 2.");
  }
}
