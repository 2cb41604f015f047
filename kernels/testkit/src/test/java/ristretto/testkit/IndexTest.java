package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/** Gathers and scatters by index tensors of either dtype and any layout. */
class IndexTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<ShapedCase> cases() {
    return IndexCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(ShapedCase op) {
    op.check(DEVICE, TestDevice.portion(IndexCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(ShapedCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }

  @Test
  void coordinates() {
    long[] shape = {3, 17, 2};
    for (int axis = -3; axis < 3; axis++) {
      int d = Math.floorMod(axis, 3);
      Tolerance.BITS.check(
          I64,
          Nd.build(shape, i -> i[d]),
          NdTensors.read(DEVICE.eval(coordinate(Shape.of(shape), axis))),
          () -> "coordinate " + d);
    }
    assertThat(DEVICE.eval(coordinate(Shape.of(0, 2), 1)).shape()).isEqualTo(Shape.of(0, 2));
  }

  /** Many additions to few elements, in an order that does not depend on threads. */
  @Test
  void manyAdditionsToOneElement() {
    int n = 100_003;
    Expr<I64> bins = coordinate(Shape.of(n), 0).rem(7);
    Tensor<I64> counts = DEVICE.eval(scatterAdd(Shape.of(7), 0, bins, fill(I64, 1, n)));
    long[] expected = new long[7];
    for (int k = 0; k < n; k++) {
      expected[k % 7]++;
    }
    assertThat(counts.toLongArray()).isEqualTo(expected);
  }
}
