package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.UniformRealDistribution;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.apache.commons.math3.stat.inference.KolmogorovSmirnovTest;
import org.junit.jupiter.api.Test;
import ristretto.kernels.scalar.Philox;

class RandomNumbersTest {
  private static final int N = 50_021;

  @Test
  void uniformHasTheBitsOfPhiloxOnEveryDevice() {
    for (String device : TestTensors.DEVICES) {
      try (var ctx = Context.open(device)) {
        for (long seed : new long[] {0, 1, -1, 0x1234_5678_9ABC_DEFL}) {
          float[] u = ctx.eval(uniform(F32, seed, 7, 11)).toFloatArray();
          double[] d = ctx.eval(uniform(F64, seed, 77)).toDoubleArray();
          for (int k = 0; k < u.length; k++) {
            int[] w = Philox.words(seed, k);
            assertThat(u[k]).isEqualTo((w[0] >>> 8) * 0x1p-24f);
            assertThat(d[k]).isEqualTo((Philox.join(w[0], w[1]) >>> 11) * 0x1p-53);
          }
        }
      }
    }
  }

  @Test
  void drawsAreReproducibleWhereverTheyAreRead() {
    try (var ctx = Context.open("cpu")) {
      Expr<F32> u = uniform(F32, 5, 20, 30);
      float[] whole = ctx.eval(u).toFloatArray();
      assertThat(ctx.eval(u).toFloatArray()).isEqualTo(whole);
      assertThat(ctx.eval(u.t()).slice(at(3), at(7)).item()).isEqualTo(whole[7 * 30 + 3]);
      assertThat(ctx.eval(u.slice(at(7), range(3, 5)).times(2)).toFloatArray())
          .containsExactly(2 * whole[7 * 30 + 3], 2 * whole[7 * 30 + 4]);
      assertThat(ctx.eval(uniform(F32, 6, 20, 30)).toFloatArray()).isNotEqualTo(whole);
      Tensor<I64> seed = ctx.tensor(new long[] {5}, 1);
      assertThat(ctx.eval(uniform(F32, seed, 20, 30)).toFloatArray()).isEqualTo(whole);
      try (var other = Context.open("cpu")) {
        assertThat(other.eval(u).toFloatArray()).isEqualTo(whole);
      }
    }
  }

  @Test
  void normalAgreesBetweenDevices() {
    try (var cpu = Context.open("cpu");
        var oracle = Context.open("oracle")) {
      Expr<F32> n = normal(F32, 9, 1000);
      float[] a = cpu.eval(n).toFloatArray();
      float[] b = oracle.eval(n).toFloatArray();
      for (int k = 0; k < a.length; k++) {
        // The cosine's argument is rounded, which matters next to its zeros.
        assertThat((double) a[k]).isCloseTo(b[k], org.assertj.core.data.Offset.offset(2e-6));
      }
    }
  }

  @Test
  void distributionsPassTheirTests() {
    try (var ctx = Context.open("cpu")) {
      var ks = new KolmogorovSmirnovTest();
      double[] u = ctx.eval(uniform(F32, 11, N).cast(F64)).toDoubleArray();
      assertThat(ks.kolmogorovSmirnovTest(new UniformRealDistribution(0, 1), u))
          .isGreaterThan(0.001);
      double[] n = ctx.eval(normal(F32, 12, N).cast(F64)).toDoubleArray();
      assertThat(ks.kolmogorovSmirnovTest(new NormalDistribution(0, 1), n)).isGreaterThan(0.001);
      double[] wide = ctx.eval(normal(F64, 13, N)).toDoubleArray();
      assertThat(ks.kolmogorovSmirnovTest(new NormalDistribution(0, 1), wide)).isGreaterThan(0.001);
      long[] counts = new long[64];
      for (double v : u) {
        counts[(int) (v * 64)]++;
      }
      double[] expected = IntStream.range(0, 64).mapToDouble(_ -> N / 64.0).toArray();
      assertThat(new ChiSquareTest().chiSquareTest(expected, counts)).isGreaterThan(0.001);
    }
  }
}
