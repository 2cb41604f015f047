package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.exp;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

class LaunchCountTest {

  @Test
  void transfersAreNoLaunches() {
    try (Context ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3});
      Tensor<F32> y = ctx.empty(F32, 3);
      long before = ctx.stats().launches();
      ctx.assign(y, exp(x));
      y.toFloatArray();
      y.slice(Ops.at(0)).item();
      assertThat(ctx.stats().launches() - before).isEqualTo(1);
    }
  }
}
