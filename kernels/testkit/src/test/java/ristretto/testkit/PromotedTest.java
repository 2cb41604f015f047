package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Reduced;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F64;
import ristretto.expr.type.I16;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;

/** Operations that compute in another dtype than their operands have. */
class PromotedTest {
  private static void check(Context ctx, Expr<?> e, Object dtype, double... expected) {
    assertThat((Object) e.dtype()).isSameAs(dtype);
    assertThat(ctx.eval(e.cast(F64)).toDoubleArray()).containsExactly(expected);
  }

  @Test
  void masksCount() {
    try (Context ctx = TestDevice.open()) {
      Tensor<I32> x = ctx.tensor(new int[] {1, 5, 7, 2, 9, 4}, 2, 3);
      Expr<BOOL> mask = x.gt(3);
      Reduced<I64> count = sum(mask);
      Reduced<I64> byRow = sum(mask, 1);
      check(ctx, count, I64, 4);
      check(ctx, byRow, I64, 2, 2);
      check(ctx, sum(I32, mask, 0, 1), I32, 4);
      check(ctx, mean(mask), F64, 4.0 / 6);
      check(ctx, mean(F32, mask, 1), F32, (float) (2 / 3.0), (float) (2 / 3.0));
    }
  }

  @Test
  void meansOfIntegersAreFractions() {
    try (Context ctx = TestDevice.open()) {
      Tensor<I16> x = ctx.tensor(new short[] {32767, 32767, 32766, -1, 2, 4}, 2, 3);
      Reduced<F64> mean = mean(x);
      Reduced<F64> byRow = mean(x, -1);
      check(ctx, mean, F64, 98305 / 6.0);
      check(ctx, byRow, F64, 98300 / 3.0, 5 / 3.0);
      check(ctx, sum(I64, x, 1), I64, 98300, 5);
      check(ctx, sum(x, 1), I16, (short) 98300, 5);
      check(ctx, var(ctx.tensor(new int[] {1, 2, 3, 4})), F64, 1.25);
      check(ctx, std(ctx.tensor(new long[] {1, 3, 5, 5}, 2, 2), 1), F64, 1, 0);
      check(ctx, var(x.gt(0), 0), F64, 0.25, 0, 0);
      check(ctx, std(x.gt(0)), F64, Math.sqrt(5 / 36.0));
    }
  }

  @Test
  void operandsOfTwoDtypes() {
    try (Context ctx = TestDevice.open()) {
      Tensor<I16> a = ctx.tensor(new short[] {300, -5});
      check(ctx, promote(a, ctx.tensor(new float[] {0.5f, 2}), Ops::add), F32, 300.5, -3);
      check(ctx, promote(a, ctx.ones(U16, 2), Expr::minus), I32, 299, -6);
      check(ctx, promote(a, ctx.ones(U64, 2), Expr::times), F64, 300, -5);
      check(ctx, promote(ctx.ones(BOOL, 2), a, Expr::times), I16, 300, -5);
      check(ctx, promote(a, ctx.tensor(new int[] {-5, -5}), Expr::eq), BOOL, 0, 1);
    }
  }
}
