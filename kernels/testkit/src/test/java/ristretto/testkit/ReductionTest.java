package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.U8;
import ristretto.testkit.OpCase.Domain;

/** Every reduction against a loop over doubles. */
class ReductionTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<AxesCase> cases() {
    return ReductionCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(AxesCase op) {
    op.check(DEVICE, TestDevice.portion(ReductionCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(AxesCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }

  /** Long enough for all threads to share one row. */
  @Test
  void longRows() {
    for (AxesCase op : ReductionCases.CASES) {
      if (op.domain() == Domain.SMALL) {
        op.check(DEVICE, op.dtypes().getFirst(), new long[] {70_001}, TensorLayout.CONTIGUOUS, 0);
      }
    }
  }

  /** Infinities and large numbers neither become NaN nor overflow on the way. */
  @Test
  void overflowOfPartsIsNotOverflowOfTheWhole() {
    Tensor<F32> x = DEVICE.tensor(new float[] {1000, -1000, 999});
    assertThat(DEVICE.eval(logSumExp(x)).item()).isCloseTo(1000.3132617, offset(1e-4));
    assertThat(DEVICE.eval(logSumExp(x.times(-1))).item()).isCloseTo(1000, offset(1e-4));
    Tensor<F32> none = DEVICE.full(F32, Double.NEGATIVE_INFINITY, 4);
    assertThat(DEVICE.eval(logSumExp(none)).item()).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(DEVICE.eval(logSumExp(none.neg())).item()).isEqualTo(Double.POSITIVE_INFINITY);
    // Two passes: no cancellation of large means.
    Tensor<F32> far = DEVICE.tensor(new float[] {4096, 4097, 4098, 4099});
    assertThat(DEVICE.eval(var(far)).item()).isEqualTo(1.25);
  }

  /** Parts have limits, which no index map with axes of one element more can express. */
  @Test
  void aReductionOfPartsThatOnlyMemoryCanReshape() {
    Tensor<F32> x = DEVICE.tensor(new float[] {1, 2});
    Tensor<F32> y = DEVICE.tensor(new float[] {3, 4});
    Expr<F32> parts = concat(0, x.plus(1), y).slice(range(1, 3, 3));
    assertThat(DEVICE.eval(sum(parts, 0)).toFloatArray()).containsExactly(3);
    assertThat(DEVICE.eval(sum(parts, 0).keepDims().minus(x)).toFloatArray()).containsExactly(2, 1);
  }

  /**
   * NumPy widens sums of small integers; here the dtype stays, and wraps as its arithmetic does.
   */
  @Test
  void sumsOfIntegersWrap() {
    Tensor<I32> x = DEVICE.full(I32, Integer.MAX_VALUE, 3);
    assertThat(DEVICE.eval(sum(x)).toIntArray()).containsExactly(Integer.MAX_VALUE - 2);
    assertThat(DEVICE.eval(prod(x)).toIntArray()).containsExactly(Integer.MAX_VALUE);
    assertThat(DEVICE.eval(sum(x.cast(I64))).toLongArray()).containsExactly(3L * Integer.MAX_VALUE);
    Tensor<I64> y = DEVICE.tensor(new long[] {Long.MAX_VALUE, 1, Long.MIN_VALUE + 7});
    assertThat(DEVICE.eval(sum(y)).toLongArray()).containsExactly(7);
    assertThat(DEVICE.eval(max(y)).toLongArray()).containsExactly(Long.MAX_VALUE);
    assertThat(DEVICE.eval(argMin(y)).toLongArray()).containsExactly(2);
    assertThat(DEVICE.eval(sum(DEVICE.full(U8, 200, 3))).toByteArray()).containsExactly((byte) 600);
  }

  private static org.assertj.core.data.Offset<Double> offset(double by) {
    return org.assertj.core.data.Offset.offset(by);
  }

  /** Over two dimensions that are no neighbours, the inner one long. */
  @ParameterizedTest
  @ValueSource(ints = {63, 64, 100, 700})
  void rowsOfSeveralDimensions(int inner) {
    int n = 9;
    int channels = 3;
    Tensor<F32> x = DEVICE.eval(normal(F32, 5, n, channels, inner));
    float[] values = x.toFloatArray();
    float[] sums = DEVICE.eval(sum(x.times(2), 0, 2).plus(1)).toFloatArray();
    float[] deviations = DEVICE.eval(std(x, 0, 2)).toFloatArray();
    for (int c = 0; c < channels; c++) {
      double sum = 0;
      double squares = 0;
      for (int k = 0; k < n; k++) {
        for (int j = 0; j < inner; j++) {
          double value = values[(k * channels + c) * inner + j];
          sum += value;
          squares += value * value;
        }
      }
      double count = (double) n * inner;
      double variance = squares / count - (sum / count) * (sum / count);
      assertThat((double) sums[c]).isCloseTo(2 * sum + 1, within(1e-5 * (1 + Math.abs(sum))));
      assertThat((double) deviations[c]).isCloseTo(Math.sqrt(variance), within(1e-5));
    }
  }

  /** Neighbours in memory belong to other sums: many at a time, and a rest. */
  @ParameterizedTest
  @ValueSource(ints = {63, 64, 65, 130, 700})
  void columns(int columns) {
    try (Context ctx = TestDevice.open()) {
      int rows = 37;
      Tensor<F32> x = ctx.eval(normal(F32, 5, 2, rows, columns));
      float[] values = x.toFloatArray();
      float[] sums = ctx.eval(sum(x.times(2), 1).plus(1)).toFloatArray();
      float[] highest = ctx.eval(max(x, 1)).toFloatArray();
      for (int k = 0; k < 2 * columns; k++) {
        double sum = 0;
        double high = Double.NEGATIVE_INFINITY;
        for (int row = 0; row < rows; row++) {
          double value = values[(k / columns * rows + row) * columns + k % columns];
          sum += 2 * value;
          high = Math.max(high, value);
        }
        assertThat((double) sums[k]).isCloseTo(sum + 1, within(1e-5 * (1 + Math.abs(sum))));
        assertThat((double) highest[k]).isEqualTo(high);
      }
    }
  }
}
