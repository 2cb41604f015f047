package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;

/** Einstein sums against nested loops over all their letters. */
class EinsumTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<ShapedCase> cases() {
    return EinsumCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(ShapedCase op) {
    op.check(DEVICE, TestDevice.portion(EinsumCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(ShapedCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }
}
