package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import org.apache.commons.math3.distribution.BetaDistribution;
import org.apache.commons.math3.distribution.BinomialDistribution;
import org.apache.commons.math3.distribution.CauchyDistribution;
import org.apache.commons.math3.distribution.ChiSquaredDistribution;
import org.apache.commons.math3.distribution.ExponentialDistribution;
import org.apache.commons.math3.distribution.GammaDistribution;
import org.apache.commons.math3.distribution.LogNormalDistribution;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.PoissonDistribution;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.distribution.UniformRealDistribution;
import org.apache.commons.math3.distribution.WeibullDistribution;
import org.apache.commons.math3.special.Gamma;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Seed;
import ristretto.expr.Tensor;
import ristretto.expr.random.Rng;
import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;

/** Distributions of {@link Rng}: Kolmogorov-Smirnov and chi-square tests, streams, bits, errors. */
class RngTest {
  private static final Context CTX = TestDevice.open();

  /** Size of samples; 10^7 with the nightly profile. */
  private static final int N = Integer.getInteger("ristretto.draws", 300_000);

  /** Limit of the Kolmogorov-Smirnov statistic that one sample in a thousand exceeds. */
  private static final double KS_BOUND = 1.95;

  @AfterAll
  static void close() {
    CTX.close();
  }

  /**
   * @param sample draws of F32 or F64
   * @param cdf distribution function
   */
  private record Continuous(
      String name, Function<Rng, Expr<?>> sample, Function<Double, Double> cdf) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Continuous> continuous() {
    var gamma = new GammaDistribution(2.5, 1);
    var smallGamma = new GammaDistribution(0.3, 1);
    var largeGamma = new GammaDistribution(300, 1);
    var beta = new BetaDistribution(0.7, 2);
    var student = new TDistribution(3);
    var chi = new ChiSquaredDistribution(5);
    var normal = new NormalDistribution();
    var exponential = new ExponentialDistribution(1);
    double low = normal.cumulativeProbability(-0.5);
    double mass = normal.cumulativeProbability(2) - low;
    double tail = normal.cumulativeProbability(-4);
    return List.of(
        new Continuous(
            "uniform",
            r -> r.uniform(-1, 3, F32, N),
            new UniformRealDistribution(-1, 3)::cumulativeProbability),
        new Continuous("uniform f64", r -> r.uniform(F64, N), x -> x),
        new Continuous(
            "normal",
            r -> r.normal(2, 3, F32, N),
            new NormalDistribution(2, 3)::cumulativeProbability),
        new Continuous("normal f64", r -> r.normal(F64, N), normal::cumulativeProbability),
        new Continuous(
            "exponential", r -> r.exponential(F32, N), exponential::cumulativeProbability),
        new Continuous(
            "exponential f64", r -> r.exponential(F64, N), exponential::cumulativeProbability),
        new Continuous(
            "laplace", r -> r.laplace(F32, N), x -> x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
        new Continuous(
            "cauchy", r -> r.cauchy(F32, N), new CauchyDistribution()::cumulativeProbability),
        new Continuous("logistic", r -> r.logistic(F32, N), x -> 1 / (1 + Math.exp(-x))),
        new Continuous("gumbel", r -> r.gumbel(F32, N), x -> Math.exp(-Math.exp(-x))),
        new Continuous(
            "lognormal",
            r -> r.lognormal(F32, N),
            new LogNormalDistribution(0, 1)::cumulativeProbability),
        new Continuous(
            "weibull",
            r -> r.weibull(F32, 1.7, N),
            new WeibullDistribution(1.7, 1)::cumulativeProbability),
        new Continuous("gamma", r -> r.gamma(F32, 2.5, N), gamma::cumulativeProbability),
        new Continuous("gamma f64", r -> r.gamma(F64, 2.5, N), gamma::cumulativeProbability),
        new Continuous("small gamma", r -> r.gamma(F64, 0.3, N), smallGamma::cumulativeProbability),
        new Continuous("large gamma", r -> r.gamma(F32, 300, N), largeGamma::cumulativeProbability),
        new Continuous("beta", r -> r.beta(F32, 0.7, 2, N), beta::cumulativeProbability),
        new Continuous("chi-square", r -> r.chiSquare(F32, 5, N), chi::cumulativeProbability),
        new Continuous("student t", r -> r.studentT(F32, 3, N), student::cumulativeProbability),
        new Continuous(
            "truncated normal",
            r -> r.truncatedNormal(F32, -0.5, 2, N),
            x -> (normal.cumulativeProbability(x) - low) / mass),
        new Continuous(
            "normal tail",
            r -> r.truncatedNormal(F64, 4, Double.POSITIVE_INFINITY, N),
            x -> 1 - normal.cumulativeProbability(-x) / tail),
        new Continuous(
            "dirichlet",
            r -> r.dirichlet(F32, CTX.tensor(new double[] {0.7, 1.5, 0.5}), N).slice(all(), at(0)),
            beta::cumulativeProbability));
  }

  /** Largest distance of the distribution functions, at 5000 quantiles, times the root of N. */
  @ParameterizedTest
  @MethodSource("continuous")
  void continuousDistributionsPassKolmogorovAndSmirnov(Continuous c) {
    double[] sorted = CTX.eval(c.sample.apply(Rng.of(1)).cast(F64)).toDoubleArray();
    assertThat(sorted).hasSize(N);
    Arrays.sort(sorted);
    assertThat(sorted[N - 1]).isNotNaN();
    double distance = 0;
    int step = Math.max(1, N / 5000);
    for (int k = 0; k < N; k += step) {
      double p = c.cdf.apply(sorted[k]);
      distance = Math.max(distance, Math.max((k + 1.0) / N - p, p - (double) k / N));
    }
    assertThat(distance * Math.sqrt(N)).isLessThan(KS_BOUND);
  }

  private record Discrete(
      String name,
      Function<Rng, Expr<?>> sample,
      IntToDoubleFunction probability,
      int from,
      int to) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Discrete> discrete() {
    Tensor<F32> logits = CTX.tensor(new float[] {0.5f, -1, 2, 0, -3});
    double sum = Math.exp(0.5) + Math.exp(-1) + Math.exp(2) + 1 + Math.exp(-3);
    double[] weights = {Math.exp(0.5), Math.exp(-1), Math.exp(2), 1, Math.exp(-3)};
    Tensor<F64> w = CTX.tensor(weights);
    return List.of(
        new Discrete(
            "poisson 3.5",
            r -> r.poisson(3.5, N),
            new PoissonDistribution(3.5)::probability,
            0,
            25),
        new Discrete(
            "poisson 40", r -> r.poisson(40, N), new PoissonDistribution(40)::probability, 5, 90),
        new Discrete(
            "binomial 20",
            r -> r.binomial(20, 0.3, N),
            new BinomialDistribution(20, 0.3)::probability,
            0,
            20),
        new Discrete(
            "binomial 500",
            r -> r.binomial(500, 0.8, N),
            new BinomialDistribution(500, 0.8)::probability,
            340,
            450),
        new Discrete("geometric", r -> r.geometric(0.2, N), k -> 0.2 * Math.pow(0.8, k - 1), 1, 60),
        new Discrete("integers", r -> r.integers(-3, 14, N), _ -> 1 / 17.0, -3, 13),
        new Discrete(
            "bernoulli", r -> r.bernoulli(0.3, N).cast(I64), k -> k == 1 ? 0.3 : 0.7, 0, 1),
        new Discrete("categorical", r -> r.categorical(logits, N), k -> weights[k] / sum, 0, 4),
        new Discrete("weighted choice", r -> r.choice(w, N, true), k -> weights[k] / sum, 0, 4),
        new Discrete(
            "multinomial",
            r -> r.multinomial(20, CTX.tensor(new double[] {1, 3, 2, 4}), N).slice(all(), at(1)),
            new BinomialDistribution(20, 0.3)::probability,
            0,
            20));
  }

  @ParameterizedTest
  @MethodSource("discrete")
  void discreteDistributionsPassChiSquare(Discrete d) {
    long[] counts = new long[d.to - d.from + 2];
    for (long v : CTX.eval(d.sample.apply(Rng.of(2)).cast(I64)).toLongArray()) {
      counts[v >= d.from && v <= d.to ? (int) v - d.from : counts.length - 1]++;
    }
    var expected = new ArrayList<Double>();
    var observed = new ArrayList<Long>();
    double rest = N;
    long others = N;
    for (int k = 0; k + 1 < counts.length; k++) {
      double e = N * d.probability.applyAsDouble(k + d.from);
      if (e >= 20) {
        expected.add(e);
        observed.add(counts[k]);
        rest -= e;
        others -= counts[k];
      }
    }
    if (rest > 5) {
      expected.add(rest);
      observed.add(others);
    } else {
      assertThat(others).isLessThan(30);
    }
    double p =
        new ChiSquareTest()
            .chiSquareTest(
                expected.stream().mapToDouble(e -> e).toArray(),
                observed.stream().mapToLong(o -> o).toArray());
    assertThat(p).isGreaterThan(0.001);
  }

  /** Rates and counts for which a table of probabilities would be large. */
  @Test
  void momentsOfLargeCounts() {
    moments(Rng.of(3).poisson(1e9, N), 1e9, 1e9);
    moments(Rng.of(4).binomial(1_000_000_000, 0.25, N), 0.25e9, 0.1875e9);
    moments(Rng.of(5).poisson(CTX.linspace(F64, 50, 50, N)), 50, 50);
  }

  private static void moments(Expr<I64> e, double mean, double variance) {
    double[] x = CTX.eval(e.cast(F64)).toDoubleArray();
    double first = Arrays.stream(x).average().orElseThrow();
    double second = Arrays.stream(x).map(v -> (v - mean) * (v - mean)).average().orElseThrow();
    assertThat(first).isCloseTo(mean, within(4 * Math.sqrt(variance / N)));
    assertThat(second).isCloseTo(variance, within(6 * variance / Math.sqrt(N)));
  }

  @Test
  void streamsAreIndependent() {
    Rng rng = Rng.of(6);
    var streams = new ArrayList<double[]>();
    for (Rng part : rng.split(3)) {
      streams.add(CTX.eval(part.uniform(F64, N)).toDoubleArray());
    }
    streams.add(CTX.eval(rng.uniform(F64, N)).toDoubleArray());
    streams.add(CTX.eval(rng.uniform(F64, N)).toDoubleArray());
    streams.add(CTX.eval(rng.fold(0).uniform(F64, N)).toDoubleArray());
    streams.add(CTX.eval(rng.fold(1).uniform(F64, N)).toDoubleArray());
    streams.add(CTX.eval(Rng.of(7).uniform(F64, N)).toDoubleArray());
    streams.add(CTX.eval(exp(rng.gamma(F64, 1, N).neg())).toDoubleArray());
    streams.add(CTX.eval(exp(rng.gamma(F64, 1, N).neg())).toDoubleArray());
    for (int i = 0; i < streams.size(); i++) {
      for (int j = 0; j < i; j++) {
        assertThat(Math.abs(correlation(streams.get(i), streams.get(j), 0))).isLessThan(4);
      }
      assertThat(Math.abs(correlation(streams.get(i), streams.get(i), 1))).isLessThan(4);
    }
  }

  /** Correlation of uniform numbers times the root of their number; a standard normal number. */
  private static double correlation(double[] a, double[] b, int lag) {
    double sum = 0;
    for (int k = 0; k + lag < a.length; k++) {
      sum += (a[k] - 0.5) * (b[k + lag] - 0.5);
    }
    return sum * 12 / Math.sqrt(a.length);
  }

  @Test
  void drawsDifferAndRepeat() {
    Rng rng = Rng.of(42);
    Expr<F32> first = rng.normal(F32, 100);
    Expr<F32> second = rng.normal(F32, 100);
    float[] values = CTX.eval(first).toFloatArray();
    assertThat(CTX.eval(second).toFloatArray()).isNotEqualTo(values);
    assertThat(CTX.eval(first).toFloatArray()).isEqualTo(values);
    Rng again = Rng.of(Seed.of(42));
    assertThat(CTX.eval(again.normal(F32, 100)).toFloatArray()).isEqualTo(values);
    assertThat(again).hasToString("Rng[Seed[42]]");
    float[] folded = CTX.eval(again.fold(3).uniform(F32, 5)).toFloatArray();
    assertThat(CTX.eval(Rng.of(42).fold(3).uniform(F32, 5)).toFloatArray()).isEqualTo(folded);
  }

  /** An element depends on its number only: not on threads, views, or the kernel around it. */
  @Test
  void elementsDependOnTheirNumberOnly() {
    for (Expr<F64> e :
        List.of(
            Rng.of(8).gamma(F64, 0.8, 300, 401),
            Rng.of(8).poisson(12.5, 300, 401).cast(F64),
            Rng.of(8).truncatedNormal(F64, 1, 3, 300, 401))) {
      double[] whole = CTX.eval(e).toDoubleArray();
      double[] part = CTX.eval(e.slice(range(7, 9), range(3, 20)).times(2)).toDoubleArray();
      double[] turned = CTX.eval(e.t()).toDoubleArray();
      for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 17; k++) {
          assertThat(part[17 * i + k]).isEqualTo(2 * whole[401 * (7 + i) + 3 + k]);
          assertThat(turned[300 * (3 + k) + 7 + i]).isEqualTo(whole[401 * (7 + i) + 3 + k]);
        }
      }
    }
  }

  @Test
  void drawsFuse() {
    Rng rng = Rng.of(9);
    assertThat(CTX.explain(sum(rng.gamma(F32, 2, 1000).times(3), 0)).kernelCount()).isEqualTo(1);
    assertThat(CTX.explain(rng.poisson(exp(rng.normal(F32, 1000)))).kernelCount()).isEqualTo(1);
    assertThat(CTX.explain(rng.categorical(CTX.zeros(F32, 5), 1000)).kernelCount()).isEqualTo(1);
  }

  /** These numbers must not change; a second implementation, in NumPy, computed them too. */
  @Test
  void bitsArePinned() {
    Rng rng = Rng.of(2026);
    assertThat(CTX.eval(rng.integers(0, 1000, 6)).toLongArray())
        .containsExactly(710, 185, 876, 254, 61, 342);
    assertThat(CTX.eval(rng.permutation(8)).toLongArray()).containsExactly(4, 7, 5, 2, 1, 3, 6, 0);
    assertThat(CTX.eval(rng.poisson(4, 8)).toLongArray()).containsExactly(4, 3, 3, 1, 2, 2, 0, 8);
    assertThat(CTX.eval(rng.binomial(100, 0.4, 8)).toLongArray())
        .containsExactly(38, 46, 41, 42, 39, 47, 39, 39);
    double[] gamma = CTX.eval(rng.gamma(F64, 2.5, 4)).toDoubleArray();
    double[] expected = {
      0.9553360162994139, 0.7820220053811454, 0.8626105134328665, 1.1323548210673644
    };
    for (int k = 0; k < 4; k++) {
      assertThat(gamma[k]).isCloseTo(expected[k], within(1e-13));
    }
  }

  @Test
  void choicesArePermutations() {
    Rng rng = Rng.of(10);
    long[] p = CTX.eval(rng.permutation(1001)).toLongArray();
    long[] sorted = p.clone();
    Arrays.sort(sorted);
    for (int k = 0; k < p.length; k++) {
      assertThat(sorted[k]).isEqualTo(k);
    }
    assertThat(p).isNotEqualTo(sorted);
    assertThat(Arrays.stream(CTX.eval(rng.choice(50, 20)).toLongArray()).distinct().count())
        .isEqualTo(20);
    long[] repeated = CTX.eval(rng.choice(3, 20, true)).toLongArray();
    assertThat(Arrays.stream(repeated).allMatch(k -> k >= 0 && k < 3)).isTrue();
    Tensor<F64> weights = CTX.tensor(new double[] {1, 0, 5, 2});
    long[] weighted = CTX.eval(rng.choice(weights, 4)).toLongArray();
    assertThat(weighted[3]).isEqualTo(1);
    assertThat(Arrays.stream(weighted).distinct().count()).isEqualTo(4);
    Tensor<F32> rows = CTX.eval(CTX.arange(F32, 12).reshape(6, 2));
    float[] shuffled = CTX.eval(rng.shuffle(rows)).toFloatArray();
    for (int k = 0; k < 6; k++) {
      assertThat(shuffled[2 * k + 1]).isEqualTo(shuffled[2 * k] + 1);
    }
  }

  @Test
  void multinomialCountsSumToTheTrials() {
    Tensor<F32> weights = CTX.tensor(new float[] {1, 0, 3, 2, 0, 4, 1}, 7);
    Tensor<I64> counts = CTX.eval(Rng.of(11).multinomial(1000, weights, 50));
    assertThat(counts.shape().extents()).containsExactly(50, 7);
    long[] all = counts.toLongArray();
    for (int i = 0; i < 50; i++) {
      long sum = 0;
      for (int k = 0; k < 7; k++) {
        sum += all[7 * i + k];
      }
      assertThat(sum).isEqualTo(1000);
      assertThat(all[7 * i + 1]).isZero();
      assertThat(all[7 * i + 4]).isZero();
    }
  }

  @Test
  void shapesFollowParameters() {
    Rng rng = Rng.of(12);
    Tensor<F32> rates = CTX.linspace(F32, 1, 3, 4);
    assertThat(rng.poisson(rates).shape().extents()).containsExactly(4);
    assertThat(rng.poisson(rates, 5, 4).shape().extents()).containsExactly(5, 4);
    assertThat(rng.gamma(F64, rates, 0, 4).shape().extents()).containsExactly(0, 4);
    assertThat(CTX.eval(rng.gamma(F64, rates, 0, 4)).toDoubleArray()).isEmpty();
    assertThat(CTX.eval(rng.normal(F32, 0)).toFloatArray()).isEmpty();
    assertThat(CTX.eval(rng.permutation(0)).toLongArray()).isEmpty();
    assertThat(rng.normal(F32).shape().rank()).isZero();
    assertThat(rng.dirichlet(F32, rates, 3).shape().extents()).containsExactly(3, 4);
    assertThat(rng.categorical(CTX.zeros(F32, 6, 5)).shape().extents()).containsExactly(6);
    assertThat(CTX.eval(rng.exponential(F16, 3).cast(F32)).toFloatArray()).hasSize(3);
    assertThat(CTX.eval(rng.gamma(BF16, 2, 3).cast(F32)).toFloatArray()).hasSize(3);
    Expr<BOOL> coins = rng.bernoulli(CTX.tensor(new float[] {0, 1, 1, 0}));
    assertThat(CTX.eval(coins).toBooleanArray()).containsExactly(false, true, true, false);
  }

  @Test
  void invalidElementsAreMarked() {
    Rng rng = Rng.of(13);
    Tensor<F64> bad = CTX.tensor(new double[] {-1, Double.NaN});
    assertThat(CTX.eval(rng.poisson(bad)).toLongArray()).containsExactly(-1, -1);
    assertThat(CTX.eval(rng.binomial(scalar(F64, 3), bad)).toLongArray()).containsExactly(-1, -1);
    assertThat(CTX.eval(rng.geometric(bad)).toLongArray()).containsExactly(-1, -1);
    assertThat(CTX.eval(rng.gamma(F64, bad)).toDoubleArray())
        .containsExactly(Double.NaN, Double.NaN);
    assertThat(CTX.eval(rng.truncatedNormal(F64, scalar(F64, 1), bad)).toDoubleArray())
        .containsExactly(Double.NaN, Double.NaN);
  }

  /** Implicit reparameterization: the probability below a sample stays constant. */
  @Test
  void gammaIsDifferentiableByItsShape() {
    Tensor<F64> a = CTX.tensor(new double[] {0.4, 1, 2.5, 30});
    Expr<F64> x = Rng.of(14).gamma(F64, a);
    double[] values = CTX.eval(x).toDoubleArray();
    double[] slopes = CTX.eval(gradient(x, a)).toDoubleArray();
    double[] shapes = a.toDoubleArray();
    for (int k = 0; k < 4; k++) {
      double h = 1e-5;
      double change =
          Gamma.regularizedGammaP(shapes[k] + h, values[k])
              - Gamma.regularizedGammaP(shapes[k] - h, values[k]);
      double density = new GammaDistribution(shapes[k], 1).density(values[k]);
      double expected = -change / (2 * h) / density;
      assertThat(slopes[k]).isCloseTo(expected, within(1e-6 * (1 + Math.abs(expected))));
    }
    Expr<F64> b = Rng.of(15).beta(F64, a, scalar(F64, 2.0));
    assertThat(CTX.eval(gradient(b, a)).toDoubleArray()).doesNotContain(Double.NaN);
    Tensor<F64> scale = CTX.tensor(new double[] {3});
    Expr<F64> e = Rng.of(16).exponential(F64, 4);
    assertThat(CTX.eval(gradient(e.times(scale), scale)).item())
        .isCloseTo(Arrays.stream(CTX.eval(e).toDoubleArray()).sum(), within(1e-12));
  }

  @Test
  void devicesAgree() {
    try (var cpu = Context.open("cpu")) {
      Expr<I64> exact = Rng.of(17).integers(0, 1L << 40, 1000);
      assertThat(CTX.eval(exact).toLongArray()).isEqualTo(cpu.eval(exact).toLongArray());
      Expr<I64> counts = Rng.of(18).poisson(30, 100_000);
      long[] here = CTX.eval(counts).toLongArray();
      long[] there = cpu.eval(counts).toLongArray();
      int different = 0;
      for (int k = 0; k < here.length; k++) {
        different += here[k] == there[k] ? 0 : 1;
      }
      assertThat(different).isLessThan(2);
      Expr<F64> gamma = Rng.of(19).gamma(F64, 0.7, 10_000);
      double[] a = CTX.eval(gamma).toDoubleArray();
      double[] b = cpu.eval(gamma).toDoubleArray();
      for (int k = 0; k < a.length; k++) {
        assertThat(a[k]).isCloseTo(b[k], within(1e-12 * (1 + Math.abs(b[k]))));
      }
    }
  }

  private static void refused(Runnable call, String message) {
    assertThatThrownBy(call::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }

  @Test
  void badParametersAreRefused() {
    Rng rng = Rng.of(20);
    refused(
        () -> rng.uniform(3, 1, F32, 5),
        "[uniform] low must be below high, and both finite; got low 3.0, high 1.0.");
    refused(
        () -> rng.uniform(I32, 5),
        "[uniform] the dtype must be floating point; got i32; use F32 or F64.");
    refused(
        () -> rng.normal(0, -1, F32, 5),
        "[normal] mean and std must be finite, and std at least 0; got mean 0.0, std -1.0.");
    refused(
        () -> rng.exponential(I64, 5),
        "[exponential] the dtype must be floating point; got i64; use F32 or F64.");
    refused(() -> rng.gamma(F32, -1, 5), "[gamma] shape must be positive and finite; got -1.0.");
    refused(() -> rng.beta(F32, 1, 0, 5), "[beta] b must be positive and finite; got 0.0.");
    refused(() -> rng.poisson(-2, 5), "[poisson] lambda must be from 0 to 2^52; got -2.0.");
    refused(() -> rng.binomial(-1, 0.5, 5), "[binomial] n must be from 0 to 2^52; got -1.");
    refused(() -> rng.binomial(3, 1.5, 5), "[binomial] p must be from 0 to 1; got 1.5.");
    refused(() -> rng.geometric(0, 5), "[geometric] p must be above 0 and at most 1; got 0.0.");
    refused(() -> rng.bernoulli(-0.1, 5), "[bernoulli] p must be from 0 to 1; got -0.1.");
    refused(
        () -> rng.truncatedNormal(F32, 2, 1, 5),
        "[truncatedNormal] low must be below high; got low 2.0, high 1.0.");
    refused(
        () -> rng.poisson(CTX.zeros(F32, 3), 4),
        "[poisson] lambda must broadcast to the dims of the result; got f32[3], dims [4].");
    refused(
        () -> rng.binomial(CTX.zeros(F32, 3), CTX.zeros(F32, 4)),
        "[binomial] shapes must broadcast; got n f32[3], p f32[4]. Reshape one of them.");
    refused(
        () -> rng.categorical(scalar(F32, 1)),
        "[categorical] logits must be floating point with a last axis of classes; got f32[].");
    refused(
        () -> rng.multinomial(-1, CTX.zeros(F32, 3)),
        "[multinomial] n must be from 0 to 2^52; got -1.");
    refused(
        () -> rng.choice(3, 4),
        "[choice] k must be at least 0, and without replacement at most n; got n 3, k 4, replace"
            + " false.");
    refused(
        () -> rng.choice(CTX.zeros(F32, 2, 2), 1),
        "[choice] weights must be a vector; got f32[2,2]; reshape them.");
    refused(() -> rng.shuffle(scalar(F32, 1)), "[shuffle] a must have an axis; got f32[].");
    refused(() -> rng.split(-1), "[split] the number of seeds must not be negative; got -1.");
  }
}
