package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Zeros, infinities, NaN and numbers at the ends of a dtype, as NumPy 2 treats them. */
class SpecialValuesTest {
  private static final double INF = Double.POSITIVE_INFINITY;
  private static final double NAN = Double.NaN;
  private static final double[] A = {
    1, -1, 0, -0.0, 1, -1, 0, -0.0, INF, -INF, INF, NAN, 7, -7, 7, -7, 6, -6, 0.5, -0.5, 1, -1
  };
  private static final double[] B = {
    0, 0, 0, 3, INF, INF, INF, -INF, 2, 2, INF, 1, 2, 2, -2, -2, 3, 3, -0.0, 1, -INF, -INF
  };

  private interface Check {
    void on(Context ctx, DType<?> dtype);
  }

  private static void everywhere(Check check) {
    for (String device : TestDevice.all()) {
      try (Context ctx = Context.open(device)) {
        for (DType<?> dtype : List.of(F32, F64, F16, BF16)) {
          check.on(ctx, dtype);
        }
      }
    }
  }

  private static <T> double[] values(
      Context ctx, DType<T> dtype, BinaryOperator<Expr<T>> op, double[] a, double[] b) {
    Tensor<T> x = ctx.eval(ctx.tensor(a).cast(dtype));
    Tensor<T> y = ctx.eval(ctx.tensor(b).cast(dtype));
    return ctx.eval(op.apply(x, y).cast(F64)).toDoubleArray();
  }

  @Test
  void quotientsRoundedDown() {
    double[] expected = {
      INF, -INF, NAN, -0.0, 0, -1, 0, 0, NAN, NAN, NAN, NAN, 3, -4, -4, 3, 2, -2, -INF, -1, -1, 0
    };
    everywhere((ctx, dtype) ->
        assertThat(values(ctx, dtype, (a, b) -> floorDiv(a, b), A, B)).isEqualTo(expected));
  }

  @Test
  void remaindersWithTheSignOfTheDivisor() {
    double[] expected = {
      NAN, NAN, NAN, 0, 1, INF, 0, -0.0, NAN, NAN, NAN, NAN, 1, 1, -1, -1, 0, 0, NAN, 0.5, -INF, -1
    };
    everywhere((ctx, dtype) ->
        assertThat(values(ctx, dtype, (a, b) -> floorMod(a, b), A, B)).isEqualTo(expected));
  }

  @Test
  void remaindersWithTheSignOfTheDividend() {
    double[] expected = {
      NAN, NAN, NAN, -0.0, 1, -1, 0, -0.0, NAN, NAN, NAN, NAN, 1, -1, 1, -1, 0, -0.0, NAN, -0.5, 1,
      -1
    };
    everywhere((ctx, dtype) ->
        assertThat(values(ctx, dtype, (a, b) -> a.rem(b), A, B)).isEqualTo(expected));
  }

  @Test
  void quotientsOfLargeNumbersAreExact() {
    try (Context ctx = TestDevice.open()) {
      double odd = 0x1p52 + 1;
      double[] got =
          values(ctx, F64, (a, b) -> floorDiv(a, b), new double[] {odd, -odd}, new double[] {1, 1});
      assertThat(got).containsExactly(odd, -odd);
    }
  }

  @Test
  void quotientsRoundedDownHaveNoSlope() {
    try (Context ctx = TestDevice.open()) {
      Tensor<F32> a = ctx.tensor(new float[] {1, -1, 0, 7});
      Tensor<F32> b = ctx.tensor(new float[] {0, (float) INF, 0, 2});
      for (Expr<?> g : Gradients.of(floorDiv(a, b), ctx.ones(F32, 4), List.of(a, b))) {
        assertThat(ctx.eval(g.cast(F64)).toDoubleArray()).containsExactly(0, 0, 0, 0);
      }
    }
  }

  @Test
  void powersOfOne() {
    double[] a = {1, 1, 1, -1, -1, -1, 2, 0.5};
    double[] b = {INF, -INF, NAN, INF, -INF, NAN, INF, INF};
    everywhere((ctx, dtype) ->
        assertThat(values(ctx, dtype, (x, y) -> pow(x, y), a, b))
            .containsExactly(1, 1, 1, 1, 1, NAN, INF, 0));
  }

  @Test
  void sigmoidsKeepTheirDigitsDownToTheSmallestNumber() {
    float[] x = {-88, -88.8f, -95, -100, -103, -104.5f, -1000, 0, -0f, 100, 1000};
    try (Context ctx = TestDevice.open()) {
      Tensor<F32> t = ctx.tensor(x);
      float[] sigmoid = ctx.eval(sigmoid(t)).toFloatArray();
      float[] softplus = ctx.eval(softplus(t)).toFloatArray();
      float[] silu = ctx.eval(silu(t)).toFloatArray();
      float[] slope =
          ctx.eval(Gradients.of(sigmoid(t), ctx.ones(F32, x.length), List.of(t)).get(0).cast(F32))
              .toFloatArray();
      for (int k = 0; k < x.length; k++) {
        double s = x[k] < 0 ? Math.exp(x[k]) / (1 + Math.exp(x[k])) : 1 / (1 + Math.exp(-x[k]));
        double ulp = Math.ulp((float) s);
        assertThat((double) sigmoid[k]).isCloseTo(s, within(2 * ulp));
        assertThat((double) slope[k]).isCloseTo(s * (1 - s), within(2 * ulp));
        double plus = Math.max(x[k], 0) + Math.log1p(Math.exp(-Math.abs(x[k])));
        assertThat((double) softplus[k]).isCloseTo(plus, within(2 * Math.ulp((float) plus)));
        assertThat((double) silu[k]).isCloseTo(x[k] * s, within(Math.abs(x[k]) * 2 * ulp));
      }
      double[] wide = {-708, -720, -744, -745};
      double[] got = ctx.eval(sigmoid(ctx.tensor(wide))).toDoubleArray();
      for (int k = 0; k < wide.length; k++) {
        double s = Math.exp(wide[k]);
        assertThat(got[k]).isPositive().isCloseTo(s, within(2 * Math.ulp(s)));
      }
    }
  }

  @Test
  void geluKeepsItsDigitsForNegativeElements() {
    double[] x = {-1.5, -5, -7, -9, -20};
    double[] expected = {
      -0.10021080190328713,
      -1.4332578593959731e-06,
      -8.958687807200846e-12,
      -1.015729565358458e-18,
      -5.507248237212663e-88
    };
    try (Context ctx = TestDevice.open()) {
      double[] got = ctx.eval(geluErf(ctx.tensor(x))).toDoubleArray();
      for (int k = 0; k < x.length; k++) {
        assertThat(got[k]).isCloseTo(expected[k], within(1e-13 * Math.abs(expected[k])));
      }
    }
  }

  private static org.assertj.core.data.Offset<Double> within(double difference) {
    return org.assertj.core.data.Offset.offset(Math.max(difference, Double.MIN_VALUE));
  }

  @Test
  void comparisonsWithNumbersThatTheDtypeHasNot() {
    try (Context ctx = TestDevice.open()) {
      Tensor<I32> x = ctx.tensor(new int[] {Integer.MIN_VALUE, 0, Integer.MAX_VALUE});
      long big = 5_000_000_000L;
      assertThat(ctx.eval(x.lt(big)).toBooleanArray()).containsExactly(true, true, true);
      assertThat(ctx.eval(x.le(-big)).toBooleanArray()).containsExactly(false, false, false);
      assertThat(ctx.eval(x.gt(-big)).toBooleanArray()).containsExactly(true, true, true);
      assertThat(ctx.eval(x.ge(5e9)).toBooleanArray()).containsExactly(false, false, false);
      assertThat(ctx.eval(x.eq(1L << 32)).toBooleanArray()).containsExactly(false, false, false);
      assertThat(ctx.eval(x.ne(INF)).toBooleanArray()).containsExactly(true, true, true);
      assertThat(ctx.eval(x.cast(U8).lt(300)).toBooleanArray()).containsExactly(true, true, true);
      assertThat(ctx.eval(ctx.tensor(new float[] {1}).lt(0x1p63)).toBooleanArray())
          .containsExactly(true);
    }
  }

  /** Wherever a Java number takes the dtype of a tensor. */
  @Test
  void numbersThatTheDtypeHasNot() {
    try (Context ctx = TestDevice.open()) {
      Tensor<I32> x = ctx.ones(I32, 3);
      long big = 5_000_000_000L;
      List<Runnable> all =
          List.of(
              () -> x.minus(-big),
              () -> x.times(5e9),
              () -> x.div(big),
              () -> x.rem(big),
              () -> x.and(0xFFFFFFFFL),
              () -> max(x, 5e9),
              () -> min(x, 5e9f),
              () -> clamp(x, 0, 5e9),
              () -> where(x.lt(1), x, 5e9),
              () -> where(x.lt(1), 5e9, x),
              () -> floorMod(x, 5e9),
              () -> floorDiv(x, 5e9),
              () -> x.pow(5e9),
              () -> padWith(x, 5e9, 1, 1),
              () -> scalar(I32, big),
              () -> scalar(I32, 5e9),
              () -> fill(I32, 5e9, 3),
              () -> ctx.full(I32, 5e9, 3),
              () -> ctx.arange(I32, 0, 2e10, 5e9),
              () -> ctx.arange(I32, 5e9, 6e9, 1e8));
      for (int k = 0; k < all.size(); k++) {
        assertThatThrownBy(all.get(k)::run)
            .as("use %d", k)
            .isInstanceOf(ShapeException.class)
            .hasMessageStartingWith(
                "[number] numbers with an expression of i32 must be from -2147");
      }
      assertThat(ctx.eval(ctx.ones(F16, 1).times(1e6)).item()).isEqualTo(INF);
    }
  }

  @Test
  void aTensorWithoutAxesHasOneElement() {
    try (Context ctx = TestDevice.open()) {
      assertThat(ctx.tensor(new float[] {3}, Shape.of()).shape()).isEqualTo(Shape.of());
      assertThat(ctx.tensor(new double[] {3}, Shape.of()).shape().rank()).isZero();
      assertThat(ctx.tensor(new int[] {3}, Shape.of()).toString()).isEqualTo("i32[]\n3");
      assertThat(ctx.tensor(new long[] {3}, Shape.of()).toString()).isEqualTo("i64[]\n3");
      assertThat(ctx.tensor(new boolean[] {true}, Shape.of()).toString()).isEqualTo("bool[]\ntrue");
      var bytes = MemorySegment.ofArray(new byte[] {3});
      assertThat(ctx.tensor(U8, bytes, Shape.of()).toString()).isEqualTo("u8[]\n3");
      assertThat(ctx.tensor(new float[] {3}).shape()).isEqualTo(Shape.of(1));
    }
  }
}
