package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.stream.Stream;
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

  static Stream<OpCase> cases() {
    return ElementwiseCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(OpCase op) {
    op.check(DEVICE);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(OpCase op) {
    op.checkLayouts(ORACLE);
  }
}
