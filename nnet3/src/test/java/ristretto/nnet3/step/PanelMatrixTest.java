package ristretto.nnet3.step;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.matrix.Matrix;

class PanelMatrixTest {
  @Test
  void aPanelHasItsColumnsOfAllRows() {
    var m = new Matrix(3, 4, new float[] {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
    assertThat(PanelMatrix.of(m, 1, 4, 2))
        .containsExactly(1, 11, 2, 12, 3, 13, 21, 0, 22, 0, 23, 0);
  }

  /** Covers column counts that panels divide, and others. */
  @Test
  void productsAreTheSameInPanels() {
    for (int outputs : new int[] {16, 40, 192, 256}) {
      for (int places : new int[] {1, 2, 30}) {
        int[] dims = {70, 20, 5};
        var m = new Matrix(outputs, 95);
        for (int k = 0; k < m.data().length; k++) {
          m.data()[k] = k % 13 - 6;
        }
        try (Context context = Context.open("cpu")) {
          var x = new float[places * 95];
          for (int k = 0; k < x.length; k++) {
            x[k] = k % 7 - 3;
          }
          Tensor<F32> all = context.tensor(x, places, 1, 95);
          List<ForwardStep.Columns> parts =
              List.of(
                  new ForwardStep.Columns(dims[0], ForwardStep.columns(all, 0, 70), 1),
                  new ForwardStep.Columns(dims[1], ForwardStep.columns(all, 70, 90), 2),
                  new ForwardStep.Columns(dims[2], ForwardStep.columns(all, 90, 95), 1));
          var products = ColumnProducts.of(new DeviceParameters(context), m, places, parts);
          Tensor<F32> y = context.empty(F32, places, products.columns());
          products.assign(y, parts);
          float[] values = y.toFloatArray();
          for (int row = 0; row < places; row++) {
            for (int col = 0; col < outputs; col++) {
              float sum = 0;
              for (int l = 0; l < 95; l++) {
                float factor = l >= 70 && l < 90 ? 2 : 1;
                sum += factor * x[row * 95 + l] * m.data()[col * 95 + l];
              }
              assertThat(values[row * (int) products.columns() + col]).isEqualTo(sum);
            }
          }
        }
      }
    }
  }

  /** Those of parameters that may change are made at each run. */
  @Test
  void stepsAddProductsInPanels() {
    var m = new Matrix(64, 70);
    for (boolean placed : new boolean[] {false, true}) {
      for (int k = 0; k < m.data().length; k++) {
        m.data()[k] = k % 13 - 6;
      }
      try (Context context = Context.open("cpu")) {
        var deviceParameters = new DeviceParameters(context);
        Tensor<F32> memory = context.tensor(m.data(), 64 * 70);
        if (placed) {
          deviceParameters.place(m.data(), memory);
        }
        Tensor<F32> x = context.ones(F32, 1, 3, 70);
        Tensor<F32> y = context.zeros(F32, 3, 64);
        Program program =
            context.recordOnly(() -> {
              ColumnProducts products = ColumnProducts.ofSteps(deviceParameters, m, 3);
              products.add(y, List.of(new ForwardStep.Columns(70, x, 1)));
              products.add(y, List.of(new ForwardStep.Columns(70, x, 2)));
            });
        if (placed) {
          context.assign(memory, memory.plus(1));
        }
        program.run();
        float[] values = y.toFloatArray();
        for (int k = 0; k < values.length; k++) {
          float sum = 0;
          for (int l = 0; l < 70; l++) {
            sum += m.data()[k % 64 * 70 + l] + (placed ? 1 : 0);
          }
          assertThat(values[k]).isEqualTo(3 * sum);
        }
      }
    }
  }

  @Test
  void parametersThatMayChangeAreReadAsTheyAre() {
    var m = new Matrix(32, 64);
    try (Context context = Context.open("cpu")) {
      var deviceParameters = new DeviceParameters(context);
      deviceParameters.place(m.data(), context.zeros(F32, 32 * 64));
      assertThat(deviceParameters.panelColumns(m)).isZero();
    }
  }
}
