package ristretto.nnet3.step;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Values that a reader may compute itself. */
class ForwardStepTest {
  @Test
  void barriersAreNotElementwise() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(Ops.F32, 3, 3);
      assertThat(ForwardStep.isElementwise(Ops.exp(x).plus(x.t()))).isTrue();
      assertThat(ForwardStep.isElementwise(Ops.softmax(x, 1))).isFalse();
      assertThat(ForwardStep.isElementwise(Ops.dot(x, x).plus(1))).isFalse();
      assertThat(ForwardStep.isElementwise(ctx.eval(Ops.dot(x, x)).plus(1))).isTrue();
    }
  }
}
