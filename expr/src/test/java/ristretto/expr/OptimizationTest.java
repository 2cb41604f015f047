package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.cumSum;
import static ristretto.expr.Ops.sum;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;

/** Programs with one optimization switched off. */
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
    assertThat(run(Set.of(Optimization.LIFETIMES))).isEqualTo(want);
    assertThat(kernels).isEqualTo(with);
    assertThat(bytes).isEqualTo(2 * bytesWith);
    assertThat(run(Set.of(Optimization.LEAVE_UNDEFINED))).isEqualTo(want);
    assertThat(kernels).isEqualTo(with + 2);
    assertThat(bytes).isEqualTo(bytesWith);
    assertThat(run(Set.of(Optimization.values()))).isEqualTo(want);
  }

  /** A temporary that is made of another one element by element, and nothing else shares. */
  private long bytesOfTwo(boolean inPlace, Optimization... without) {
    try (Context ctx = Context.open("cpu")) {
      var some = new HashSet<>(Set.of(without));
      some.add(Optimization.INLINE);
      ctx.without(some);
      assertThat(ctx.without()).isEqualTo(some);
      // as many bytes as parts of memory are aligned to
      Tensor<F32> x = ctx.tensor(java.util.Arrays.copyOf(new float[] {1, 2, 3, 4}, 16), 16);
      Tensor<F32> y = ctx.empty(F32, 16);
      Program program =
          ctx.recordOnly(() -> {
            Tensor<F32> a = ctx.eval(cumSum(x, 0));
            ctx.inPlace(inPlace);
            Tensor<F32> b = ctx.eval(a.times(2));
            ctx.inPlace(true);
            ctx.assign(y, cumSum(b, 0));
          });
      program.run();
      assertThat(y.toFloatArray()).startsWith(2, 8, 20, 40);
      return program.temporaryBytes();
    }
  }

  @Test
  void inPlaceIsApartFromSharing() {
    long one = bytesOfTwo(true);
    assertThat(one).isEqualTo(64);
    assertThat(bytesOfTwo(true, Optimization.SHARE_MEMORY)).isEqualTo(one);
    assertThat(bytesOfTwo(true, Optimization.IN_PLACE)).isEqualTo(2 * one);
    assertThat(bytesOfTwo(true, Optimization.LIFETIMES)).isEqualTo(2 * one);
    assertThat(bytesOfTwo(true, Optimization.LEAVE_UNDEFINED)).isEqualTo(2 * one);
    assertThat(bytesOfTwo(false)).isEqualTo(2 * one);
  }
}
