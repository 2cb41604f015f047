package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;

/** Running sums, products, maxima and minima along every axis. */
class ScanTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<AxesCase> cases() {
    return ScanCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(AxesCase op) {
    op.check(DEVICE, TestDevice.portion(ScanCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(AxesCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }

  /** F32 accumulates in F64: a million small steps arrive where they should. */
  @Test
  void longRowsKeepTheirPrecision() {
    int n = 1_000_003;
    Tensor<F32> steps = DEVICE.full(F32, 0.1f, n);
    float[] sums = DEVICE.eval(cumSum(steps, 0)).toFloatArray();
    for (int k : new int[] {0, 1, 1000, 65_536, n - 1}) {
      assertThat(sums[k]).as("sum of %s", k + 1).isEqualTo((float) ((k + 1) * (double) 0.1f));
    }
    Tensor<I64> ones = DEVICE.ones(I64, n);
    assertThat(DEVICE.eval(cumSum(ones, 0)).toLongArray()).startsWith(1, 2, 3).endsWith(n - 1, n);
  }

  @Test
  void integersWrap() {
    Tensor<I32> x = DEVICE.tensor(new int[] {Integer.MAX_VALUE, 1, 2});
    assertThat(DEVICE.eval(cumSum(x, 0)).toIntArray())
        .containsExactly(Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE + 2);
    assertThat(DEVICE.eval(cumProd(x, 0)).toIntArray())
        .containsExactly(Integer.MAX_VALUE, Integer.MAX_VALUE, -2);
  }
}
