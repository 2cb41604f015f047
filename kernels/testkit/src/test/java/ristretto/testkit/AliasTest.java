package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/**
 * Targets that are read by what is assigned to them: everything is read before anything is written.
 */
class AliasTest {
  private Context ctx;

  @AfterEach
  void close() {
    ctx.close();
  }

  private Tensor<F32> square(String device) {
    ctx = Context.open(device);
    float[] data = new float[49 * 49];
    for (int k = 0; k < data.length; k++) {
      data[k] = k;
    }
    return ctx.tensor(data, 49, 49);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void transposeOntoItself(String device) {
    Tensor<F32> a = square(device);
    ctx.assign(a, a.t());
    check(a, 0, 1, 49);
    ctx.assign(a.t(), a);
    check(a, 0, 49, 1);
    ctx.assign(a, a.t().plus(a));
    check(a, 0, 50, 50);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void shiftByOneInBothDirections(String device) {
    Tensor<F32> a = square(device).reshape(49 * 49);
    long n = 49 * 49;
    ctx.assign(a.slice(range(1, n)), a.slice(range(0, n - 1)));
    assertThat(a.toFloatArray()).startsWith(0, 0, 1, 2, 3).endsWith(n - 3, n - 2);
    ctx.assign(a.slice(range(0, n - 1)), a.slice(range(1, n)));
    assertThat(a.toFloatArray()).startsWith(0, 1, 2, 3).endsWith(n - 2, n - 2);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void reverseOntoItself(String device) {
    Tensor<F32> a = square(device);
    ctx.assign(a, a.flip(0, 1));
    check(a, 49 * 49 - 1, -49, -1);
    ctx.assignSub(a, a.flip(1));
    assertThat(a.toFloatArray()).startsWith(48, 46, 44);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void productIntoItsOwnOperand(String device) {
    Tensor<F32> a = square(device);
    Tensor<F32> eye = ctx.eval(ctx.eye(F32, 49).times(2));
    ctx.assign(a, dot(a, eye));
    check(a, 0, 98, 2);
    ctx.assign(a, dot(eye, a).t());
    check(a, 0, 4, 4 * 49);
    ctx.assignAdd(a, dot(a, eye));
    check(a, 0, 12, 12 * 49);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void elementsThatStayInPlaceNeedNoTemporary(String device) {
    Tensor<F32> a = square(device);
    long before = ctx.stats().peakBytes();
    ctx.assign(a, a.times(2).plus(1));
    ctx.assign(a.t(), a.t().minus(1));
    assertThat(ctx.stats().peakBytes()).isEqualTo(before);
    check(a, 0, 98, 2);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void reductionsOfTheTarget(String device) {
    Tensor<F32> a = square(device);
    ctx.assign(a.slice(at(0)), sum(a, 0));
    assertThat(a.slice(at(0), range(0, 3)).toFloatArray()).containsExactly(57624, 57673, 57722);
    Tensor<F32> b = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
    ctx.assign(b, b.minus(max(b, 1).keepDims()));
    assertThat(b.toFloatArray()).containsExactly(-1, 0, -1, 0);
    ctx.assign(b, b.minus(sum(b, 0)));
    assertThat(b.toFloatArray()).containsExactly(1, 0, 1, 0);
    ctx.assign(b.slice(all(), at(0)), sum(b, 1));
    assertThat(b.toFloatArray()).containsExactly(1, 0, 1, 0);
  }

  /** The one element of each target is read for every element of the row. */
  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void rowResultsThatReadTheirTargets(String device) {
    Tensor<F32> a = square(device).slice(range(0, 2), range(0, 2));
    Tensor<F32> b = ctx.tensor(new float[] {10}, 1);
    Tensor<F32> c = ctx.tensor(new float[] {20}, 1);
    ctx.assign(b, sum(a.plus(b)));
    assertThat(b.item()).isEqualTo(0 + 1 + 49 + 50 + 40);
    Expr<F32> sum = sum(a);
    ctx.assignAll(Pair.of(b, c.plus(sum)), Pair.of(c, b.plus(sum)));
    assertThat(b.item()).isEqualTo(120);
    assertThat(c.item()).isEqualTo(240);
    ctx.assignAll(Pair.of(b, sum(a.plus(c))), Pair.of(c, sum(a.times(b))));
    assertThat(b.item()).isEqualTo(1060);
    assertThat(c.item()).isEqualTo(12_000);
    Tensor<F32> d = ctx.tensor(new float[] {1, 2}, 2, 1);
    ctx.assign(d, sum(a.times(d), 1).keepDims());
    assertThat(d.toFloatArray()).containsExactly(1, 198);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void twoTargetsThatReadEachOther(String device) {
    Tensor<F32> a = square(device);
    Tensor<F32> b = ctx.eval(a.t());
    ctx.assignAll(Pair.of(a, b), Pair.of(b, a));
    check(a, 0, 1, 49);
    check(b, 0, 49, 1);
    ctx.assignAll(Pair.of(a, b.t()), Pair.of(b, a.t()));
    check(a, 0, 1, 49);
    check(b, 0, 49, 1);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void gatherAndScanOntoThemselves(String device) {
    Tensor<F32> a = square(device).reshape(49 * 49).slice(range(0, 5));
    ctx.assign(a, take(a, ctx.tensor(new int[] {4, 3, 0, 0, -1}), 0));
    assertThat(a.toFloatArray()).containsExactly(4, 3, 0, 0, 4);
    ctx.assign(a, cumSum(a, 0));
    assertThat(a.toFloatArray()).containsExactly(4, 7, 7, 7, 11);
    ctx.assign(a, sort(a.flip(0), 0));
    assertThat(a.toFloatArray()).containsExactly(4, 7, 7, 7, 11);
    ctx.assign(a, concat(0, a.slice(range(3, 5)), a.slice(range(0, 3))));
    assertThat(a.toFloatArray()).containsExactly(7, 11, 4, 7, 7);
  }

  /** Element (i, j) is start + row * i + column * j. */
  private static void check(Tensor<F32> a, float start, float row, float column) {
    float[] v = a.toFloatArray();
    for (int i = 0; i < 49; i++) {
      for (int j = 0; j < 49; j++) {
        assertThat(v[49 * i + j]).as("(%s, %s)", i, j).isEqualTo(start + row * i + column * j);
      }
    }
  }

  /**
   * Compiled code does not keep operands reachable that it no longer reads, and the garbage
   * collector runs while kernels do.
   */
  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void operandsThatOnlyTheEvaluationNeedsStay(String device) throws Exception {
    try (Context cpu = Context.open("cpu")) {
      Tensor<F32> one = cpu.full(F32, 1, 3);
      for (int k = 0; k < 30_000; k++) {
        cpu.eval(one.plus(1));
      }
    }
    square(device);
    var done = new AtomicBoolean();
    Thread collector =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                System.gc();
              }
            });
    try {
      for (int k = 0; k < 8; k++) {
        Tensor<F32> twice = ctx.eval(ctx.eye(F32, 99).times(2));
        assertThat(twice.toFloatArray()).startsWith(2, 0).endsWith(0, 2);
      }
    } finally {
      done.set(true);
      collector.join();
    }
  }
}
