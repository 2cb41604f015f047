package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.dot;

import org.junit.jupiter.api.Test;

/** Recordings whose assignments run later. */
class RecordOnlyTest {
  @Test
  void nothingRunsBeforeTheProgramDoes() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3}, 3);
      Program program = ctx.recordOnly(() -> ctx.assignAdd(x, x));
      assertThat(x.toFloatArray()).containsExactly(1, 2, 3);
      program.run();
      assertThat(x.toFloatArray()).containsExactly(2, 4, 6);
    }
  }

  @Test
  void whatTheBodyKeepsIsThereAfterwards() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3}, 3);
      var kept = new Tensor<?>[1];
      Program program = ctx.recordOnly(() -> kept[0] = ctx.eval(x.times(ctx.eval(x.plus(1)))));
      program.run();
      assertThat(kept[0].as(F32).toFloatArray()).containsExactly(2, 6, 12);
    }
  }

  /** A hundred products, one after another, need memory for two. */
  @Test
  void theFirstRunTakesNoMoreMemoryThanLaterOnes() {
    try (Context ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.zeros(F32, 64, 64);
      long before = ctx.stats().bytesAllocated();
      ctx.recordOnly(
              () -> {
                Tensor<F32> y = x;
                for (int k = 0; k < 100; k++) {
                  y = ctx.eval(dot(y, x));
                }
                ctx.assign(x, y);
              })
          .run();
      assertThat(ctx.stats().peakBytes() - before).isLessThanOrEqualTo(3 * 64 * 64 * 4);
    }
  }
}
