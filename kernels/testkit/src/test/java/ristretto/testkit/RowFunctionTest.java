package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;

/** Softmax and its kin along every axis. */
class RowFunctionTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<AxesCase> cases() {
    return RowFunctionCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(AxesCase op) {
    op.check(DEVICE, TestDevice.portion(RowFunctionCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(AxesCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }

  /** Large and infinite elements: what overflows on the way is not seen. */
  @Test
  void extremeRows() {
    double inf = Double.POSITIVE_INFINITY;
    double[][] rows = {{1000, 1000, -1000}, {-1e30, 0, 1}, {-inf, 0, -inf}, {5e8, -5e8, 1}};
    for (double[] row : rows) {
      Tensor<F32> x = NdTensors.tensor(DEVICE, F32, Nd.vector(row));
      Nd softmax = Nd.vector(RowFunctionCases.softmaxOf(row));
      Nd log = Nd.vector(RowFunctionCases.logSoftmaxOf(row));
      Tolerance.SEVERAL.check(
          F32, softmax, NdTensors.read(DEVICE.eval(softmax(x, 0))), () -> Arrays.toString(row));
      Tolerance.SEVERAL.check(
          F32, log, NdTensors.read(DEVICE.eval(logSoftmax(x, 0))), () -> Arrays.toString(row));
    }
  }

  /** Infinite maxima and empty rows behave as in SciPy. */
  @Test
  void rowsWithoutResult() {
    float inf = Float.POSITIVE_INFINITY;
    for (float[] row : new float[][] {{inf, 1}, {-inf, -inf}, {Float.NaN, 1}}) {
      Tensor<F32> x = DEVICE.tensor(row);
      assertThat(DEVICE.eval(softmax(x, 0)).toFloatArray()[0]).isNaN();
      assertThat(DEVICE.eval(logSoftmax(x, 0)).toFloatArray()[0]).isNaN();
      assertThat(DEVICE.eval(layerNorm(x, 0)).toFloatArray()[0]).isNaN();
    }
  }

  @Test
  void longRows() {
    for (AxesCase op : RowFunctionCases.CASES) {
      op.check(DEVICE, op.dtypes().getFirst(), new long[] {20_011}, TensorLayout.CONTIGUOUS, 0);
    }
  }

  @Test
  void ofNothing() {
    Tensor<F32> none = DEVICE.zeros(F32, 3, 0);
    assertThat(DEVICE.eval(softmax(none, 1)).shape()).isEqualTo(Shape.of(3, 0));
    assertThat(DEVICE.eval(logSoftmax(none, 1)).shape()).isEqualTo(Shape.of(3, 0));
    assertThat(DEVICE.eval(logSumExp(none, 1)).toFloatArray())
        .containsOnly(Float.NEGATIVE_INFINITY)
        .hasSize(3);
  }
}
