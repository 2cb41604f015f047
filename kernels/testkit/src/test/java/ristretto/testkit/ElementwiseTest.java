package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.I64;

/** Every element-wise operation against plain double arithmetic. */
class ElementwiseTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static List<OpGroup> groups() {
    return OpGroup.of(ElementwiseCases.CASES, TestDevice.isCpu() ? 1 : 8);
  }

  @ParameterizedTest
  @MethodSource("groups")
  void agreesWithTheOracle(OpGroup group) {
    group.check(DEVICE, TestDevice.portion(groups().indexOf(group)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("groups")
  void plansKeepTheRules(OpGroup group) {
    group.checkLayouts(ORACLE, group.cases().getFirst().dtypes().getFirst(), Portion.ALL);
  }

  @Test
  void numbersTakeTheOthersDtype() {
    Expr<I64> big = DEVICE.tensor(new long[] {7, -5, Long.MAX_VALUE - 1});
    check(add(big, 1), 8, -4, Long.MAX_VALUE);
    check(add(-1, big), 6, -6, Long.MAX_VALUE - 2);
    check(sub(big, Long.MAX_VALUE), 7 - Long.MAX_VALUE, -5 - Long.MAX_VALUE, -1);
    check(sub(1, big), -6, 6, 3 - Long.MAX_VALUE - 1);
    check(mul(big, 2), 14, -10, -4);
    check(mul(-1, big), -7, 5, 1 - Long.MAX_VALUE);
    check(div(big, 2), 3, -2, Long.MAX_VALUE / 2);
    check(div(15, big), 2, -3, 0);
    Expr<F32> x = DEVICE.tensor(new float[] {0.5f, -2});
    assertThat(DEVICE.eval(add(x, 0.25)).toFloatArray()).containsExactly(0.75f, -1.75f);
    assertThat(DEVICE.eval(sub(0.25, x)).toFloatArray()).containsExactly(-0.25f, 2.25f);
    assertThat(DEVICE.eval(mul(0.1, x)).toFloatArray()).containsExactly(0.05f, -0.2f);
    assertThat(DEVICE.eval(div(1, x)).toFloatArray()).containsExactly(2, -0.5f);
  }

  private static void check(Expr<I64> x, long... expected) {
    assertThat(DEVICE.eval(x).toLongArray()).containsExactly(expected);
  }
}
