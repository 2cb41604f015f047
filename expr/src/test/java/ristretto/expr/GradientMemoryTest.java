package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import org.junit.jupiter.api.Test;
import ristretto.expr.type.F32;

class GradientMemoryTest {
  /**
   * Values that a gradient reads are temporaries of a program, although the gradient was derived
   * from them.
   */
  @Test
  void derivedGradientsKeepNothingAlive() {
    try (var ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(F32, 1000, 3);
      Tensor<F32> slope = ctx.empty(F32, 1000, 3);
      Tensor<F32> sums = ctx.empty(F32, 1000);
      Program program =
          ctx.record(() -> {
            Tensor<F32> y = ctx.eval(softmax(x, 1));
            ctx.assign(sums, sum(y, 1));
            ctx.assign(slope, gradient(sum(tanh(y).times(y)), y));
          });
      assertThat(program.temporaryCount()).as(program.explain()::toString).isEqualTo(1);
      double expected = Math.tanh(1 / 3.0) + (1 - Math.pow(Math.tanh(1 / 3.0), 2)) / 3;
      assertThat(slope.toFloatArray()[0]).isEqualTo((float) expected);
    }
  }
}
