package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.RealDistribution;
import org.apache.commons.math3.distribution.UniformRealDistribution;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.U8;
import ristretto.kernels.scalar.Philox;

class RandomNumbersTest {
  private static final int N = 50_021;

  @Test
  void uniformHasTheBitsOfPhiloxOnEveryDevice() {
    for (String device : TestDevice.all()) {
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
    try (var ctx = TestDevice.open()) {
      Expr<F32> u = uniform(F32, 5, 20, 30);
      float[] whole = ctx.eval(u).toFloatArray();
      assertThat(ctx.eval(u).toFloatArray()).isEqualTo(whole);
      assertThat(ctx.eval(u.t()).slice(at(3), at(7)).item()).isEqualTo(whole[7 * 30 + 3]);
      assertThat(ctx.eval(u.slice(at(7), range(3, 5)).times(2)).toFloatArray())
          .containsExactly(2 * whole[7 * 30 + 3], 2 * whole[7 * 30 + 4]);
      assertThat(ctx.eval(uniform(F32, 6, 20, 30)).toFloatArray()).isNotEqualTo(whole);
      Tensor<I64> seed = ctx.tensor(new long[] {5}, 1);
      assertThat(ctx.eval(uniform(F32, seed, 20, 30)).toFloatArray()).isEqualTo(whole);
      try (var other = TestDevice.open()) {
        assertThat(other.eval(u).toFloatArray()).isEqualTo(whole);
      }
    }
  }

  @Test
  void normalAgreesWithTheProcessors() {
    try (var device = TestDevice.open();
        var cpu = Context.open("cpu")) {
      Expr<F32> n = normal(F32, 9, N);
      Nd expected = NdTensors.read(cpu.eval(n));
      new Tolerance(2, 0, 0).check(F32, expected, NdTensors.read(device.eval(n)), n::toString);
      Expr<F64> wide = normal(F64, 9, N);
      Nd wideExpected = NdTensors.read(cpu.eval(wide));
      new Tolerance(2, 0, 0)
          .check(F64, wideExpected, NdTensors.read(device.eval(wide)), wide::toString);
    }
  }

  /** The cosine's argument is rounded, which matters next to its zeros. */
  @Test
  void normalAgreesWithTheInterpreters() {
    try (var device = TestDevice.open();
        var oracle = Context.open("oracle")) {
      Expr<F32> n = normal(F32, 9, 1000);
      float[] a = device.eval(n).toFloatArray();
      float[] b = oracle.eval(n).toFloatArray();
      for (int k = 0; k < a.length; k++) {
        assertThat((double) a[k]).isCloseTo(b[k], org.assertj.core.data.Offset.offset(2e-6));
      }
    }
  }

  /** Limit of the Kolmogorov-Smirnov statistic that one sample in a thousand exceeds. */
  private static final double KS_BOUND = 1.95;

  /**
   * Kolmogorov-Smirnov statistic: the largest distance of the distribution functions, times the
   * root of the sample's size. (TornadoVM's SDK has a Commons Math without that test.)
   */
  private static double kolmogorovSmirnov(double[] sample, RealDistribution distribution) {
    double[] sorted = sample.clone();
    Arrays.sort(sorted);
    double distance = 0;
    for (int k = 0; k < sorted.length; k++) {
      double p = distribution.cumulativeProbability(sorted[k]);
      double above = (k + 1.0) / sorted.length - p;
      double below = p - (double) k / sorted.length;
      distance = Math.max(distance, Math.max(above, below));
    }
    return distance * Math.sqrt(sorted.length);
  }

  @Test
  void distributionsPassTheirTests() {
    try (var ctx = TestDevice.open()) {
      double[] u = ctx.eval(uniform(F32, 11, N).cast(F64)).toDoubleArray();
      assertThat(kolmogorovSmirnov(u, new UniformRealDistribution(0, 1))).isLessThan(KS_BOUND);
      double[] n = ctx.eval(normal(F32, 12, N).cast(F64)).toDoubleArray();
      assertThat(kolmogorovSmirnov(n, new NormalDistribution(0, 1))).isLessThan(KS_BOUND);
      double[] wide = ctx.eval(normal(F64, 13, N)).toDoubleArray();
      assertThat(kolmogorovSmirnov(wide, new NormalDistribution(0, 1))).isLessThan(KS_BOUND);
      long[] counts = new long[64];
      for (double v : u) {
        counts[(int) (v * 64)]++;
      }
      double[] expected = IntStream.range(0, 64).mapToDouble(_ -> N / 64.0).toArray();
      assertThat(new ChiSquareTest().chiSquareTest(expected, counts)).isGreaterThan(0.001);
    }
  }

  @Test
  void integersAreEvenlyDistributed() {
    for (String device : TestDevice.all()) {
      try (var ctx = Context.open(device)) {
        for (long[] range : new long[][] {{0, 7}, {-3, 10}, {5, 6}, {-100, -36}}) {
          long low = range[0];
          int n = (int) (range[1] - low);
          int draws = 20_011;
          int[] narrow = ctx.eval(randomIntegers(I32, 21, low, range[1], draws)).toIntArray();
          long[] wide = ctx.eval(randomIntegers(I64, 21, low, range[1], draws)).toLongArray();
          long[] counts = new long[n];
          // A number out of range is out of bounds.
          for (long v : wide) {
            counts[(int) (v - low)]++;
          }
          assertThat(Arrays.stream(narrow).asLongStream().toArray()).isEqualTo(wide);
          even(counts, draws);
        }
      }
    }
  }

  @Test
  void integersOfEveryDtypeAndWideRanges() {
    try (var ctx = TestDevice.open()) {
      Tensor<I8> small = ctx.eval(randomIntegers(I8, 3, -128, 128, 50_000));
      long[] counts = new long[256];
      for (byte v : small.toByteArray()) {
        counts[v + 128]++;
      }
      even(counts, 50_000);
      assertThat(ctx.eval(randomIntegers(F32, 3, 2, 5, 1000)).toFloatArray())
          .contains(2, 3, 4)
          .containsOnly(2, 3, 4);
      long low = Long.MIN_VALUE / 2;
      long high = Long.MAX_VALUE / 2;
      long[] quarters = new long[4];
      for (long v : ctx.eval(randomIntegers(I64, 4, low, high, 20_000)).toLongArray()) {
        quarters[(int) ((v >> 61) + 2)]++;
      }
      even(quarters, 20_000);
    }
  }

  @Test
  void bitsAndFlagsAreEvenlyDistributed() {
    try (var ctx = TestDevice.open()) {
      int[] ints = ctx.eval(uniform(I32, 31, N)).toIntArray();
      long[] longs = ctx.eval(uniform(I64, 32, N)).toLongArray();
      for (int bit = 0; bit < 64; bit++) {
        long[] ofInts = new long[2];
        long[] ofLongs = new long[2];
        for (int k = 0; k < N; k++) {
          ofInts[ints[k] >>> bit & 1]++;
          ofLongs[(int) (longs[k] >>> bit & 1)]++;
        }
        even(ofInts, N);
        even(ofLongs, N);
      }
      long[] flags = new long[2];
      for (boolean flag : ctx.eval(uniform(BOOL, 33, N)).toBooleanArray()) {
        flags[flag ? 1 : 0]++;
      }
      even(flags, N);
      long[] bytes = new long[256];
      for (byte b : ctx.eval(uniform(U8, 34, N)).toByteArray()) {
        bytes[b & 255]++;
      }
      even(bytes, N);
    }
  }

  private static void even(long[] counts, int draws) {
    if (counts.length == 1) {
      assertThat(counts[0]).isEqualTo(draws);
      return;
    }
    double[] expected = new double[counts.length];
    Arrays.fill(expected, (double) draws / counts.length);
    // One in a thousand tests fails at 0.001; the seeds are fixed.
    assertThat(new ChiSquareTest().chiSquareTest(expected, counts)).isGreaterThan(1e-4);
  }
}
