package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;

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
}
