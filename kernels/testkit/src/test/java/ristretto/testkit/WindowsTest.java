package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;

/** Sliding windows, and convolutions made of them. */
class WindowsTest {
  private static final Context DEVICE = TestDevice.open();

  @AfterAll
  static void close() {
    DEVICE.close();
  }

  private static float[] eval(Expr<F32> e) {
    return DEVICE.eval(e).toFloatArray();
  }

  @Test
  void windowsOfAVector() {
    Tensor<F32> x = DEVICE.arange(F32, 5);
    assertThat(eval(windows(x, 3))).containsExactly(0, 1, 2, 1, 2, 3, 2, 3, 4);
    assertThat(DEVICE.explain(sum(windows(x, 3), 1)).temporaryCount()).isZero();
    assertThat(eval(sum(windows(x, 3), 1))).containsExactly(3, 6, 9);
  }

  @Test
  void stridesAndDilations() {
    Tensor<F32> x = DEVICE.arange(F32, 9);
    assertThat(eval(windows(x, new long[] {2}, new long[] {3}, new long[] {1})))
        .containsExactly(0, 1, 3, 4, 6, 7);
    assertThat(eval(windows(x, new long[] {3}, new long[] {2}, new long[] {2})))
        .containsExactly(0, 2, 4, 2, 4, 6, 4, 6, 8);
  }

  @Test
  void windowsOfExpressions() {
    Tensor<F32> x = DEVICE.arange(F32, 4);
    assertThat(eval(windows(x.times(2), 2))).containsExactly(0, 2, 2, 4, 4, 6);
    assertThat(eval(windows(pad(x, 1, 1), 3))).containsExactly(0, 0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 0);
    assertThat(eval(windows(x.flip(0), 2))).containsExactly(3, 2, 2, 1, 1, 0);
  }

  @Test
  void aConvolutionIsAProductOverWindows() {
    int h = 6;
    int w = 7;
    Tensor<F32> x = DEVICE.eval(rint(uniform(F32, 1, 2, 3, h, w).times(8)));
    Tensor<F32> filters = DEVICE.eval(rint(uniform(F32, 2, 4, 3, 2, 3).times(4)));
    float[] image = x.toFloatArray();
    float[] filter = filters.toFloatArray();
    float[] got =
        eval(
            einsum(
                "nchwij,fcij->nfhw",
                windows(x, new long[] {2, 3}, new long[] {2, 1}, new long[] {1, 2}),
                filters));
    int at = 0;
    for (int n = 0; n < 2; n++) {
      for (int f = 0; f < 4; f++) {
        for (int i = 0; i < 3; i++) {
          for (int j = 0; j < 3; j++) {
            float sum = 0;
            for (int c = 0; c < 3; c++) {
              for (int p = 0; p < 2; p++) {
                for (int q = 0; q < 3; q++) {
                  sum +=
                      image[((n * 3 + c) * h + 2 * i + p) * w + j + 2 * q]
                          * filter[((f * 3 + c) * 2 + p) * 3 + q];
                }
              }
            }
            assertThat(got[at++]).isEqualTo(sum);
          }
        }
      }
    }
    assertThat(at).isEqualTo(got.length);
  }

  @Test
  void windowsMustFit() {
    Tensor<F32> x = DEVICE.arange(F32, 5);
    assertThatThrownBy(() -> windows(x, 6))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[windows] sizes, strides and dilations must be positive, one for each axis, and"
                + " windows must fit; got sizes [6], strides [1], dilations [1] for shape [5]; pad"
                + " it first.");
  }
}
