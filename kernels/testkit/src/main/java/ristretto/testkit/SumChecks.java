package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;

/**
 * Checks the accuracy of F32 sums, and of values computed from sums, against sums of doubles: data
 * with large errors in naive summation, every layout of the reduced axes, operands in memory and
 * fused ones.
 */
final class SumChecks {
  /** Error bound of a sum, relative to the sum of magnitudes. */
  static final double SUM = 1e-7;

  /** Error bound of a mean: one rounding more than {@link #SUM}. */
  private static final double MEAN = 1.3e-7;

  private static final double VARIANCE = 1e-6;

  private static final int[] LENGTHS = {
    0, 1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 257, 1031, 4099, 40_009, 300_007
  };

  /** Values of test data by index. */
  private interface Pattern {
    double at(int i, int n);
  }

  private record Data(String name, Pattern pattern) {
    Tensor<F32> make(Context ctx, int n) {
      float[] values = new float[n];
      for (int i = 0; i < n; i++) {
        values[i] = (float) pattern.at(i, n);
      }
      return ctx.tensor(values);
    }
  }

  private static final List<Data> DATA =
      List.of(
          new Data("0.1", (i, n) -> 0.1f),
          new Data("noise on 10,000", (i, n) -> 10_000 + noise(i)),
          new Data("alternating signs", (i, n) -> (i % 2 == 0 ? 1 : -1) * (1000 + noise(i))),
          new Data("2^24, then ones", (i, n) -> i == 0 ? 1 << 24 : 1),
          new Data("1, then 2^-25", (i, n) -> i == 0 ? 1 : 0x1p-25),
          new Data("falling magnitudes", (i, n) -> 1.0 / (i + 1)),
          new Data("rising magnitudes", (i, n) -> 1.0 / (n - i)),
          new Data("twenty orders of magnitude", (i, n) -> noise(i) * Math.pow(10, i % 21 - 10)));

  private SumChecks() {}

  /** Pseudo-random number in [0, 1) that depends on {@code i} only. */
  private static double noise(int i) {
    return (i * 0x9E3779B97F4A7C15L >>> 40) * 0x1p-24;
  }

  static List<Check> checks() {
    var checks = new ArrayList<Check>();
    for (Data data : DATA) {
      checks.add(Check.of("sums of " + data.name, ctx -> lengths(ctx, data)));
      checks.add(Check.of("sums over axes of " + data.name, ctx -> axes(ctx, data)));
    }
    checks.add(Check.of("sums of operands in memory and of fused ones", SumChecks::fused));
    checks.add(Check.of("sums of F16", ctx -> narrow(ctx, F16, 0x1p-11)));
    checks.add(Check.of("sums of BF16", ctx -> narrow(ctx, BF16, 0x1p-8)));
    checks.add(Check.of("running sums", SumChecks::runningSums));
    checks.add(Check.of("norms and products of many elements", SumChecks::normsAndProducts));
    checks.add(Check.of("softmax and logSumExp of many elements", SumChecks::exponentials));
    for (double ratio : new double[] {1, 1e3, 35_000, 1e6}) {
      checks.add(Check.of("variances at mean/std " + ratio, ctx -> variances(ctx, ratio)));
    }
    checks.add(Check.of("variances of equal elements", SumChecks::equalElements));
    return checks;
  }

  private static void lengths(Context ctx, Data data) {
    for (int n : LENGTHS) {
      Tensor<F32> x = data.make(ctx, n);
      float[] v = x.toFloatArray();
      double sum = 0;
      double magnitudes = 0;
      for (float e : v) {
        sum += e;
        magnitudes += Math.abs(e);
      }
      String what = " of " + n + " elements: " + data.name;
      near("sum" + what, ctx.eval(sum(x)).item(), sum, SUM * magnitudes);
      near("norm1" + what, ctx.eval(norm1(x)).item(), magnitudes, SUM * magnitudes);
      if (n > 0) {
        near("mean" + what, ctx.eval(mean(x)).item(), sum / n, MEAN * magnitudes / n);
      }
    }
  }

  /** Checks columns, rows, both, non-adjacent axes, and strided elements. */
  private static void axes(Context ctx, Data data) {
    int[] dims = {67, 33, 19};
    Tensor<F32> x = data.make(ctx, dims[0] * dims[1] * dims[2]).reshape(67, 33, 19);
    for (int[] axes : new int[][] {{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {}}) {
      sums(ctx, data.name, x, axes);
    }
    sums(ctx, data.name + ", every third", x.slice(all(), from(1, 3)), 1);
    sums(ctx, data.name + ", every third", x.slice(from(0, 3)), 0);
    sums(ctx, data.name + ", backwards", x.flip(2), 2);
    sums(ctx, data.name, data.make(ctx, 5_003 * 7).reshape(5_003, 7), 0);
    sums(ctx, data.name, data.make(ctx, 1_999 * 70).reshape(1_999, 70), 0);
    sums(ctx, data.name, data.make(ctx, 3 * 9_001).reshape(3, 9_001), 1);
  }

  private static void sums(Context ctx, String what, Expr<F32> x, int... axes) {
    Nd v = NdTensors.read(ctx.eval(x));
    Nd expected = v.sum(axes);
    Nd magnitudes = v.map(Math::abs).sum(axes);
    Nd got = NdTensors.read(ctx.eval(sum(x, axes)));
    for (int k = 0; k < got.data.length; k++) {
      String name = "sum " + k + " over axes " + Arrays.toString(axes) + " of " + what;
      near(name, got.data[k], expected.data[k], SUM * magnitudes.data[k]);
    }
  }

  /** Checks that a product is rounded to F32 before it is summed, whether it is stored or fused. */
  private static void fused(Context ctx) {
    for (int n : new int[] {1000, 1_000_003}) {
      Tensor<F32> a = ctx.eval(normal(F32, 1, n).plus(3));
      Tensor<F32> b = ctx.eval(normal(F32, 2, n));
      Tensor<F32> product = ctx.eval(a.times(b));
      double[] terms = doubles(product);
      double slack = SUM * DoubleStream.of(terms).map(Math::abs).sum();
      double expected = sequential(terms);
      near("sum of a product in memory", ctx.eval(sum(product)).item(), expected, slack);
      near("sum of a fused product", ctx.eval(sum(a.times(b))).item(), expected, slack);
    }
  }

  /** Checks that sums of narrow dtypes are rounded once, within {@code rounding} of the result. */
  private static <T> void narrow(Context ctx, DType<T> dtype, double rounding) {
    for (int[] dims : new int[][] {{1, 40_009}, {3, 9_001}, {4_099, 7}, {1_031, 40}}) {
      Tensor<T> x = ctx.eval(uniform(F32, 5, dims[0], dims[1]).minus(0.4).cast(dtype));
      Nd v = NdTensors.read(ctx.eval(x.cast(F32)));
      for (int[] axes : new int[][] {{0}, {1}, {}}) {
        Nd sums = v.sum(axes);
        Nd magnitudes = v.map(Math::abs).sum(axes);
        Nd got = NdTensors.read(ctx.eval(sum(x, axes).cast(F32)));
        Nd means = NdTensors.read(ctx.eval(mean(x, axes).cast(F32)));
        double count = (double) v.data.length / got.data.length;
        for (int k = 0; k < got.data.length; k++) {
          double e = sums.data[k];
          double slack = SUM * magnitudes.data[k];
          near("sum " + k + " of " + dtype, got.data[k], e, rounding * Math.abs(e) + slack);
          double twice = 2.01 * rounding * Math.abs(e / count) + slack / count;
          near("mean " + k + " of " + dtype, means.data[k], e / count, twice);
        }
      }
      double[] running = NdTensors.read(ctx.eval(cumSum(x, 1).cast(F32))).data;
      double sum = 0;
      double magnitudes = 0;
      for (int i = 0; i < dims[1]; i++) {
        sum += v.data[i];
        magnitudes += Math.abs(v.data[i]);
        double slack = rounding * Math.abs(sum) + SUM * magnitudes;
        near("cumSum at " + i + " of " + dtype, running[i], sum, slack);
      }
    }
  }

  private static void runningSums(Context ctx) {
    for (Data data : DATA) {
      Tensor<F32> x = data.make(ctx, 20_011);
      double[] v = doubles(x);
      double[] got = doubles(ctx.eval(cumSum(x, 0)));
      double sum = 0;
      double magnitudes = 0;
      for (int i = 0; i < v.length; i++) {
        sum += v[i];
        magnitudes += Math.abs(v[i]);
        near("cumSum at " + i + " of " + data.name, got[i], sum, SUM * magnitudes);
      }
    }
  }

  private static void normsAndProducts(Context ctx) {
    Tensor<F32> x = ctx.eval(normal(F32, 3, 500_009));
    double squares = DoubleStream.of(doubles(x)).map(v -> v * v).sum();
    relative("norm", ctx.eval(norm(x)).item(), Math.sqrt(squares), 3e-7);
    Tensor<F32> factors = ctx.eval(uniform(F32, 4, 20_011).times(0.002).plus(0.999));
    double product = DoubleStream.of(doubles(factors)).reduce(1, (u, v) -> u * v);
    double roundings = ctx.device().startsWith("cpu") ? 1 : 400;
    relative("prod", ctx.eval(prod(factors)).item(), product, roundings * SUM);
  }

  private static void exponentials(Context ctx) {
    Tensor<F32> x = ctx.eval(normal(F32, 5, 3, 100_003));
    Nd v = NdTensors.read(x);
    double[] sums = v.map(Math::exp).sum(1).data;
    double[] softmax = NdTensors.read(ctx.eval(softmax(x, 1))).data;
    double[] logSums = NdTensors.read(ctx.eval(logSumExp(x, 1))).data;
    for (int row = 0; row < 3; row++) {
      relative("logSumExp", logSums[row], Math.log(sums[row]), 4e-7);
      for (int j = 0; j < 100_003; j += 101) {
        int k = row * 100_003 + j;
        relative("softmax " + k, softmax[k], Math.exp(v.data[k]) / sums[row], 2e-6);
      }
    }
  }

  private static void variances(Context ctx, double ratio) {
    variance(ctx, ctx.eval(normal(F32, 6, 300_007).plus(ratio)), ratio);
    variance(ctx, ctx.eval(normal(F32, 7, 41, 1009).plus(ratio)), ratio, 1);
    variance(ctx, ctx.eval(normal(F32, 8, 1009, 41).plus(ratio)), ratio, 0);
    variance(ctx, ctx.eval(normal(F32, 9, 37, 5, 211).plus(ratio)), ratio, 0, 2);
    variance(ctx, ctx.eval(normal(F32, 10, 5, 4096).plus(ratio)), ratio, 1);
    Tensor<F32> outliers = ctx.eval(normal(F32, 11, 4096, 17).plus(ratio));
    ctx.assign(outliers.slice(at(4095)), 0);
    variance(ctx, outliers, ratio, 0);
  }

  private static void variance(Context ctx, Tensor<F32> x, double ratio, int... axes) {
    Nd v = NdTensors.read(x);
    Nd expected = v.reduce(row -> varianceOf(row), axes);
    String what = " over axes " + Arrays.toString(axes) + " at mean/std " + ratio;
    Nd variances = NdTensors.read(ctx.eval(var(x, axes)));
    Nd fused = NdTensors.read(ctx.eval(var(x.times(-4), axes)));
    Nd deviations = NdTensors.read(ctx.eval(std(x, axes)));
    for (int k = 0; k < expected.data.length; k++) {
      double e = expected.data[k];
      relative("var" + what, variances.data[k], e, VARIANCE);
      relative("var of fused operands" + what, fused.data[k], 16 * e, VARIANCE);
      relative("std" + what, deviations.data[k], Math.sqrt(e), VARIANCE);
    }
    if (axes.length == 1) {
      Nd normal = NdTensors.read(ctx.eval(layerNorm(x, axes[0])));
      Nd norms = v.rows(row -> layerNormOf(row), axes[0]);
      for (int k = 0; k < norms.data.length; k++) {
        double slack = 1e-6 * (1 + ratio + Math.abs(norms.data[k]));
        near("layerNorm" + what, normal.data[k], norms.data[k], slack);
      }
    }
  }

  private static double[] layerNormOf(double... row) {
    double mean = sequential(row) / row.length;
    double scale = 1 / Math.sqrt(varianceOf(row) + 1e-5);
    return DoubleStream.of(row).map(v -> (v - mean) * scale).toArray();
  }

  /**
   * Checks that variances of equal elements are never negative, which would make the standard
   * deviation NaN.
   */
  private static void equalElements(Context ctx) {
    for (float value : new float[] {0.1f, 1e6f / 3, -7e-12f, 0}) {
      for (int n : new int[] {1, 3, 1000, 77_777}) {
        Tensor<F32> x = ctx.full(F32, value, n);
        double slack = 1e-6 * Math.abs(value);
        near("std of " + n + " times " + value, ctx.eval(std(x)).item(), 0, slack);
      }
    }
  }

  private static double varianceOf(double... row) {
    double mean = sequential(row) / row.length;
    return DoubleStream.of(row).map(v -> (v - mean) * (v - mean)).sum() / row.length;
  }

  private static double sequential(double... values) {
    double sum = 0;
    for (double v : values) {
      sum += v;
    }
    return sum;
  }

  private static double[] doubles(Tensor<F32> x) {
    float[] v = x.toFloatArray();
    double[] all = new double[v.length];
    Arrays.setAll(all, i -> v[i]);
    return all;
  }

  private static void relative(String what, double got, double expected, double error) {
    near(what, got, expected, error * Math.abs(expected));
  }

  private static void near(String what, double got, double expected, double slack) {
    Check.require(Math.abs(got - expected) <= slack, what, got, expected + " within " + slack);
  }
}
