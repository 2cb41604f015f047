package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;

/** Sorting and its positions: stable, NaN last, zeros of either sign equal. */
class SortTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<AxesCase> cases() {
    return SortCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(AxesCase op) {
    op.check(DEVICE, TestDevice.portion(SortCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(AxesCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }

  @Test
  void longRows() {
    for (AxesCase op : SortCases.CASES) {
      for (DType<?> dtype : List.of(F32, F64)) {
        op.check(DEVICE, dtype, new long[] {20_011}, TensorLayout.CONTIGUOUS, 0);
      }
    }
  }

  @Test
  void extremesOfIntegers() {
    int[] ints = {0, Integer.MIN_VALUE, -1, Integer.MAX_VALUE, 1};
    Tensor<I32> x = DEVICE.tensor(ints);
    assertThat(DEVICE.eval(sort(x, 0)).toIntArray())
        .containsExactly(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE);
    assertThat(DEVICE.eval(topK(x, 5, 0)).toIntArray())
        .containsExactly(Integer.MAX_VALUE, 1, 0, -1, Integer.MIN_VALUE);
    long[] longs = {0, Long.MIN_VALUE, (1L << 53) + 1, 1L << 53, Long.MAX_VALUE, -1};
    Tensor<I64> y = DEVICE.tensor(longs);
    assertThat(DEVICE.eval(argSort(y, 0)).toLongArray()).containsExactly(1, 5, 0, 3, 2, 4);
    assertThat(DEVICE.eval(argTopK(y, 6, 0)).toLongArray()).containsExactly(4, 2, 3, 0, 5, 1);
  }
}
