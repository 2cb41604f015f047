package ristretto.symbolic.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Values that each reader recomputes, and values that are stored. */
class RecomputeCostTest {
  @Test
  void onlyFewElementwiseOperationsAreCheap() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(Ops.F32, 3, 3);
      assertThat(RecomputeCost.isCheap(Ops.exp(x).plus(x.t()))).isTrue();
      assertThat(RecomputeCost.isCheap(Ops.sum(x, 1))).isFalse();
      assertThat(RecomputeCost.isCheap(Ops.dot(x, x).plus(1))).isFalse();
      Expr<F32> many = x;
      for (int k = 0; k < 9; k++) {
        many = Ops.exp(many);
      }
      assertThat(RecomputeCost.isCheap(many)).isFalse();
    }
  }
}
