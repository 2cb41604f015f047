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
import ristretto.expr.Pair;
import ristretto.expr.Plan;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Kernel counts of common expressions, by the plan and by the device's counters. */
class FusionTest {
  private static final Context CTX = TestDevice.open();
  private final Tensor<F32> a = CTX.full(F32, 0.5, 8, 16);
  private final Tensor<F32> b = CTX.full(F32, 2, 8, 16);
  private final Tensor<F32> w = CTX.full(F32, 0.25, 16, 4);
  private final Tensor<F32> bias = CTX.full(F32, -1, 4);

  @AfterAll
  static void close() {
    CTX.close();
  }

  static List<FusionCase> cases() {
    return FusionCase.CASES;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void kernelsOf(FusionCase op) {
    op.check(CTX);
  }

  @Test
  void copyIsOneKernelWithoutTemporaries() {
    Tensor<F32> target = CTX.empty(F32, 8, 16);
    long launches = CTX.stats().launches();
    CTX.assign(target, a);
    assertThat(CTX.stats().launches() - launches).isLessThanOrEqualTo(1);
    assertThat(CTX.explain(a).temporaryCount()).isZero();
  }

  /** A convolution of the cpu device's library takes one more kernel per side. */
  @Test
  void productsAndWhatIsAroundThem() {
    int more = TestDevice.isCpu() ? 1 : 0;
    assertKernels(1, dot(a, w));
    assertKernels(1 + more, dot(a.plus(b), w));
    assertKernels(1 + more, relu(dot(a, w).plus(bias)));
    assertKernels(1 + 2 * more, relu(dot(a.plus(b), w).plus(bias)));
  }

  @Test
  void accumulationUsesTheProductsOwn() {
    Tensor<F32> c = CTX.ones(F32, 8, 4);
    CTX.assignAdd(c, dot(a, w));
    long launches = CTX.stats().launches();
    CTX.assignAdd(c, dot(a, w));
    assertThat(CTX.stats().launches() - launches).isEqualTo(1);
    assertThat(c.toFloatArray()).containsOnly(1 + 2 * 16 * 0.125f);
  }

  @Test
  void threeTargetsOfAnOptimizerStepAreOneKernel() {
    Tensor<F32> parameter = CTX.full(F32, 1, 8, 16);
    Tensor<F32> m = CTX.zeros(F32, 8, 16);
    Tensor<F32> v = CTX.zeros(F32, 8, 16);
    for (int step = 0; step < 2; step++) {
      Expr<F32> m1 = m.times(0.9).plus(a.times(0.1));
      Expr<F32> v1 = v.times(0.5).plus(a.times(a).times(0.5));
      long launches = CTX.stats().launches();
      long misses = CTX.stats().cacheMisses();
      CTX.assignAll(
          Pair.of(m, m1),
          Pair.of(v, v1),
          Pair.of(parameter, parameter.minus(m1.times(0.25).div(sqrt(v1).plus(1e-8)))));
      assertThat(CTX.stats().launches() - launches).isEqualTo(1);
      assertThat(CTX.stats().cacheMisses() - misses).isEqualTo(step == 0 ? 1 : 0);
    }
    assertThat(m.toFloatArray()[5]).isEqualTo(0.095f);
    assertThat(v.toFloatArray()[5]).isEqualTo(0.1875f);
  }

  @Test
  void newNumbersAndSizesCompileNothing() {
    CTX.eval(a.times(3).plus(sigmoid(b.minus(0.5))));
    float captured = 1.5f;
    mapWith(captured, a);
    long misses = CTX.stats().cacheMisses();
    CTX.eval(a.times(7).plus(sigmoid(b.minus(0.25))));
    Tensor<F32> long1 = CTX.full(F32, 1, 100, 30);
    CTX.eval(long1.times(2).plus(sigmoid(CTX.full(F32, 2, 100, 30).minus(4))));
    mapWith(captured + 1, a);
    mapWith(captured + 2, long1);
    assertThat(CTX.stats().cacheMisses()).isEqualTo(misses);
  }

  private static void mapWith(float factor, Expr<F32> x) {
    CTX.eval(map(x, v -> v * factor + 1));
  }

  private static void assertKernels(int kernels, Expr<F32> expr) {
    Plan plan = CTX.explain(expr);
    assertThat(plan.kernelCount()).as(plan.toString()).isEqualTo(kernels);
    Tensor<F32> target = CTX.eval(expr);
    long launches = CTX.stats().launches();
    CTX.assign(target, expr);
    assertThat(CTX.stats().launches() - launches).as(plan.toString()).isEqualTo(kernels);
  }
}
