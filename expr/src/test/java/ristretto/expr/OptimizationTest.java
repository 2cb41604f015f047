package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.cumSum;
import static ristretto.expr.Ops.sum;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** What programs are without one optimization. */
class OptimizationTest {
  private int kernels;
  private long bytes;

  /** A temporary that a sum reads, two maps, and two temporaries one after the other. */
  private float[] run(Set<Optimization> without) {
    try (Context ctx = Context.open("cpu")) {
      ctx.without(without);
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4}, 4);
      Tensor<F32> y = ctx.empty(F32, 4);
      Tensor<F32> z = ctx.empty(F32, 4);
      Tensor<F32> s = ctx.empty(F32, 1);
      Program program =
          ctx.recordOnly(() -> {
            ctx.assign(s, sum(ctx.eval(x.times(x).plus(x))).reshape(1));
            ctx.assign(y, x.times(2));
            ctx.assign(z, y.plus(1));
            ctx.assign(y, cumSum(ctx.eval(cumSum(y, 0)), 0));
            ctx.assign(z, cumSum(ctx.eval(cumSum(z, 0)), 0));
          });
      program.run();
      kernels = program.kernelCount();
      bytes = program.temporaryBytes();
      float[] all = java.util.Arrays.copyOf(s.toFloatArray(), 9);
      System.arraycopy(y.toFloatArray(), 0, all, 1, 4);
      System.arraycopy(z.toFloatArray(), 0, all, 5, 4);
      return all;
    }
  }

  @Test
  void eachSavesSomethingAndChangesNoResult() {
    float[] want = run(Set.of());
    assertThat(want).containsExactly(40, 2, 8, 20, 40, 3, 11, 26, 50);
    int with = kernels;
    long bytesWith = bytes;
    assertThat(run(Set.of(Optimization.INLINE))).isEqualTo(want);
    assertThat(kernels).isEqualTo(with + 1);
    assertThat(run(Set.of(Optimization.JOIN))).isEqualTo(want);
    assertThat(kernels).isEqualTo(with + 1);
    assertThat(run(Set.of(Optimization.SHARE_MEMORY))).isEqualTo(want);
    assertThat(kernels).isEqualTo(with);
    assertThat(bytes).isEqualTo(2 * bytesWith);
    assertThat(run(Set.of(Optimization.values()))).isEqualTo(want);
  }
}
