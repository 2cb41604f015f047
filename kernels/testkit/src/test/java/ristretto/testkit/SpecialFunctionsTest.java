package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;

/** Special functions against values computed with 50 digits, and their special values. */
class SpecialFunctionsTest {
  private static final Context CTX = TestDevice.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /**
   * @param ulps error in units of the last place of the expected value
   * @param absolute further error, relative to the expected value where that is above 1
   * @param perLog further relative error for each unit of the magnitude of the expected logarithm
   */
  private record Accuracy(double ulps, double absolute, double perLog) {
    double allowed(double expected) {
      double scale = Math.abs(expected);
      double relative = scale == 0 ? 0 : perLog * (1 + Math.abs(Math.log(scale)));
      return ulps * Math.ulp(scale) + absolute * Math.max(1, scale) + relative * scale;
    }
  }

  private record Case(String name, Accuracy accuracy, Function<List<Expr<?>>, Expr<?>> f) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Case> CASES = new ArrayList<>();

  @SuppressWarnings("unchecked")
  private static void one(String name, Accuracy accuracy, UnaryOperator<Expr<Object>> f) {
    CASES.add(new Case(name, accuracy, x -> f.apply((Expr<Object>) x.get(0))));
  }

  @SuppressWarnings("unchecked")
  private static void two(String name, Accuracy accuracy, BinaryOperator<Expr<Object>> f) {
    CASES.add(
        new Case(name, accuracy, x -> f.apply((Expr<Object>) x.get(0), (Expr<Object>) x.get(1))));
  }

  static {
    one("lgamma", new Accuracy(5, 4e-16, 0), Ops::lgamma);
    one("gamma", new Accuracy(6, 0, 0), Ops::gamma);
    one("digamma", new Accuracy(4, 2e-15, 0), Ops::digamma);
    two("logBeta", new Accuracy(4, 1e-15, 0), Ops::logBeta);
    two("gammainc", new Accuracy(8, 0, 1e-14), Ops::gammainc);
    two("gammaincc", new Accuracy(8, 0, 1e-14), Ops::gammaincc);
    CASES.add(
        new Case(
            "betainc",
            new Accuracy(8, 0, 1e-14),
            x -> betainc(wide(x, 0), wide(x, 1), wide(x, 2))));
    one("riemann", new Accuracy(4, 0, 1e-14), Ops::zeta);
    two("zeta", new Accuracy(8, 0, 1e-14), Ops::zeta);
    one("erfinv", new Accuracy(4, 0, 0), Ops::erfinv);
    one("erfcinv", new Accuracy(4, 0, 0), Ops::erfcinv);
    one("erfcx", new Accuracy(4, 0, 0), Ops::erfcx);
    one("ndtr", new Accuracy(6, 0, 2e-16), Ops::ndtr);
    one("ndtri", new Accuracy(6, 0, 0), Ops::ndtri);
    one("logNdtr", new Accuracy(6, 0, 0), Ops::logNdtr);
    one("besselJ0", new Accuracy(4, 4e-16, 0), Ops::besselJ0);
    one("besselJ1", new Accuracy(4, 4e-16, 0), Ops::besselJ1);
    one("besselI0e", new Accuracy(4, 0, 0), Ops::besselI0e);
    one("besselI1e", new Accuracy(4, 0, 0), Ops::besselI1e);
    one("besselI0", new Accuracy(9, 0, 0), Ops::besselI0);
    one("besselI1", new Accuracy(9, 0, 0), Ops::besselI1);
    one("logit", new Accuracy(5, 0, 0), Ops::logit);
    two("xlogy", new Accuracy(4, 0, 0), Ops::xlogy);
    two("xlog1py", new Accuracy(4, 0, 0), Ops::xlog1py);
  }

  @SuppressWarnings("unchecked")
  private static Expr<Object> wide(List<Expr<?>> x, int k) {
    return (Expr<Object>) x.get(k);
  }

  static List<Case> cases() {
    return CASES;
  }

  /** Rows of the table by function: operands, then the value. */
  private static final Map<String, List<double[]>> TABLE = new LinkedHashMap<>();

  static {
    try (InputStream in = SpecialFunctionsTest.class.getResourceAsStream("special.txt")) {
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      for (String line : text.lines().toList()) {
        String[] words = line.split(" ");
        double[] row = new double[words.length - 1];
        for (int k = 0; k < row.length; k++) {
          row[k] = Double.parseDouble(words[k + 1]);
        }
        TABLE.computeIfAbsent(words[0], _ -> new ArrayList<>()).add(row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void valuesAreAccurate(Case c) {
    List<double[]> rows = TABLE.get(c.name);
    int operands = rows.get(0).length - 1;
    var inputs = new ArrayList<Expr<?>>();
    for (int k = 0; k < operands; k++) {
      int column = k;
      inputs.add(CTX.tensor(rows.stream().mapToDouble(row -> row[column]).toArray()));
    }
    double[] got = CTX.eval(c.f.apply(inputs).cast(F64)).toDoubleArray();
    for (int k = 0; k < got.length; k++) {
      double expected = rows.get(k)[operands];
      check(c, rows.get(k), got[k], expected, c.accuracy.allowed(expected));
    }
  }

  /** Operands that F32 holds; the exact results are rounded once. */
  @ParameterizedTest
  @MethodSource("cases")
  void singlePrecisionIsRoundedOnce(Case c) {
    List<double[]> rows = new ArrayList<>();
    for (double[] row : TABLE.get(c.name)) {
      boolean held = true;
      for (int k = 0; k + 1 < row.length; k++) {
        held &= Double.compare((float) row[k], row[k]) == 0;
      }
      if (held) {
        rows.add(row);
      }
    }
    int operands = rows.get(0).length - 1;
    var inputs = new ArrayList<Expr<?>>();
    for (int k = 0; k < operands; k++) {
      float[] column = new float[rows.size()];
      for (int i = 0; i < column.length; i++) {
        column[i] = (float) rows.get(i)[k];
      }
      inputs.add(CTX.tensor(column));
    }
    Expr<?> e = c.f.apply(inputs);
    assertThat(e.dtype()).isEqualTo((Object) F32);
    double[] got = CTX.eval(e.cast(F64)).toDoubleArray();
    boolean composed =
        List.of("ndtr", "ndtri", "logNdtr", "besselI0", "besselI1", "logit", "xlogy", "xlog1py")
            .contains(c.name);
    for (int k = 0; k < got.length; k++) {
      double exact = rows.get(k)[operands];
      float expected = (float) exact;
      double ulps = composed ? 12 + 2 * Math.abs(Math.log(Math.abs(exact) + 1e-300)) : 0.6;
      double allowed = ulps * Math.ulp(expected) + c.accuracy.absolute * 2;
      check(c, rows.get(k), got[k], Float.isInfinite(expected) ? expected : exact, allowed);
    }
  }

  private static void check(Case c, double[] row, double got, double expected, double allowed) {
    boolean right =
        Double.isNaN(expected)
            ? Double.isNaN(got)
            : got == expected || Math.abs(got - expected) <= allowed;
    assertThat(right)
        .as("%s of %s: got %s, expected %s", c, java.util.Arrays.toString(row), got, expected)
        .isTrue();
  }

  /**
   * @param f function of the first operand, of positive numbers in (0, 1)
   */
  private record Slope(String name, UnaryOperator<Expr<F64>> f) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Slope> slopes() {
    Expr<F64> two = fill(F64, 2.3);
    Expr<F64> three = fill(F64, 3.1);
    return List.of(
        new Slope("lgamma", x -> lgamma(x.times(6))),
        new Slope("lgamma of negative numbers", x -> lgamma(x.neg())),
        new Slope("gamma", x -> Ops.gamma(x.times(6))),
        new Slope("digamma", x -> digamma(x.times(6))),
        new Slope("digamma of negative numbers", x -> digamma(x.minus(3))),
        new Slope("polygamma", x -> polygamma(2, x.times(6))),
        new Slope("logBeta a", x -> logBeta(x.times(6), two)),
        new Slope("logBeta b", x -> logBeta(two, x.times(6))),
        new Slope("gammainc a", x -> gammainc(x.times(6), two)),
        new Slope("gammainc x", x -> gammainc(two, x.times(6))),
        new Slope("gammaincc a", x -> gammaincc(x.times(6), two)),
        new Slope("gammaincc x", x -> gammaincc(two, x.times(6))),
        new Slope("betainc a", x -> betainc(x.times(6), two, fill(F64, 0.4))),
        new Slope("betainc b", x -> betainc(two, x.times(6), fill(F64, 0.4))),
        new Slope("betainc x", x -> betainc(two, three, x)),
        new Slope("riemann", x -> zeta(x.times(3).plus(1.5))),
        new Slope("zeta s", x -> zeta(x.times(3).plus(1.5), two)),
        new Slope("zeta q", x -> zeta(two, x.times(3))),
        new Slope("erfinv", Ops::erfinv),
        new Slope("erfcinv", Ops::erfcinv),
        new Slope("erfcx", x -> erfcx(x.times(30).minus(2))),
        new Slope("ndtr", x -> ndtr(x.times(6).minus(3))),
        new Slope("ndtri", Ops::ndtri),
        new Slope("logNdtr", x -> logNdtr(x.times(6).minus(4))),
        new Slope("besselJ0", x -> besselJ0(x.times(20))),
        new Slope("besselJ1", x -> besselJ1(x.times(20))),
        new Slope("besselI0", x -> besselI0(x.times(12))),
        new Slope("besselI1", x -> besselI1(x.times(12))),
        new Slope("besselI0e", x -> besselI0e(x.times(12))),
        new Slope("besselI1e", x -> besselI1e(x.times(12))),
        new Slope("logit", Ops::logit),
        new Slope("xlogy x", x -> xlogy(x, two)),
        new Slope("xlogy y", x -> xlogy(two, x)),
        new Slope("xlog1py x", x -> xlog1py(x, two)),
        new Slope("xlog1py y", x -> xlog1py(two, x)));
  }

  /**
   * Central differences of the function, and of its gradient, whose kernels take compilers of C
   * minutes.
   */
  @ParameterizedTest
  @MethodSource("slopes")
  void gradientsAreDerivatives(Slope c) {
    Tensor<F64> x = CTX.linspace(F64, 0.07, 0.93, 7);
    differ(c.f, x, 1e-5);
    if (TestDevice.isCpu()) {
      differ(v -> gradient(c.f.apply(v), v), x, 1e-4);
    }
  }

  private static void differ(UnaryOperator<Expr<F64>> f, Tensor<F64> x, double h) {
    Expr<F64> difference = f.apply(x.plus(h)).minus(f.apply(x.minus(h))).div(2 * h);
    double[] expected = CTX.eval(difference).toDoubleArray();
    double[] got = CTX.eval(gradient(f.apply(x), x)).toDoubleArray();
    for (int k = 0; k < got.length; k++) {
      assertThat(got[k])
          .isCloseTo(
              expected[k],
              org.assertj.core.data.Offset.offset(0.2 * h * (1 + Math.abs(expected[k]))));
    }
  }

  /** Gradients where rules divide by 0 or subtract infinities. */
  @Test
  void gradientsHaveTheirLimits() {
    Tensor<F64> zero = CTX.zeros(F64, 1);
    assertThat(CTX.eval(gradient(besselJ1(zero), zero)).item()).isEqualTo(0.5);
    assertThat(CTX.eval(gradient(besselI1e(zero), zero)).item()).isEqualTo(0.5);
    assertThat(CTX.eval(gradient(gammainc(1, zero), zero)).item()).isEqualTo(1.0);
    assertThat(CTX.eval(gradient(betainc(1, 3, zero), zero)).item()).isEqualTo(3.0);
    Tensor<F64> far = CTX.tensor(new double[] {1e6});
    assertThat(CTX.eval(gradient(erfcx(far), far)).item())
        .isCloseTo(-5.641895835469e-13, org.assertj.core.data.Offset.offset(1e-24));
  }

  @Test
  void functionsFuseWithTheirSurroundings() {
    Tensor<F32> x = CTX.linspace(F32, 0.1, 5, 101);
    Expr<F32> e = sum(lgamma(x).plus(digamma(x.times(2))).times(erfinv(x.times(0.1))), 0);
    assertThat(CTX.explain(e).kernelCount()).isEqualTo(1);
    assertThat(CTX.explain(gammainc(x, x.plus(1)).times(2)).kernelCount()).isEqualTo(1);
    assertThat(CTX.explain(lgamma(x.cast(F64))).toString()).contains("lgamma(");
  }

  /** Lengths around the number of lanes, views, and operands that broadcast. */
  @Test
  void layoutsDoNotMatter() {
    for (int n : new int[] {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 67}) {
      Tensor<F64> x = CTX.linspace(F64, -7.3, 9.1, n);
      double[] whole = CTX.eval(lgamma(x)).toDoubleArray();
      double[] back = CTX.eval(lgamma(x.flip(0))).toDoubleArray();
      for (int k = 0; k < n; k++) {
        assertThat(back[n - 1 - k]).isEqualTo(whole[k]);
      }
    }
    Tensor<F64> a = CTX.linspace(F64, 0.5, 3, 5);
    Tensor<F64> x = CTX.linspace(F64, 0.1, 4, 3);
    double[] pairs = CTX.eval(gammainc(a.reshape(5, 1), x)).toDoubleArray();
    for (int i = 0; i < 5; i++) {
      double[] row = CTX.eval(gammainc(a.slice(at(i)), x)).toDoubleArray();
      for (int k = 0; k < 3; k++) {
        assertThat(pairs[3 * i + k]).isEqualTo(row[k]);
      }
    }
    assertThat(CTX.eval(betainc(2, 3, x.div(5))).toDoubleArray())
        .containsExactly(
            CTX.eval(betainc(fill(F64, 2, 3), fill(F64, 3, 3), x.div(5))).toDoubleArray());
  }

  /** Results of different parallelism have equal bits. */
  @Test
  void threadsDoNotMatter() {
    Tensor<F64> x = CTX.linspace(F64, 0.01, 40, 100_003);
    double[] many = CTX.eval(gammainc(2.5, x).plus(lgamma(x))).toDoubleArray();
    double[] few =
        CTX.eval(
                gammainc(2.5, x.slice(range(50_000, 50_010)))
                    .plus(lgamma(x.slice(range(50_000, 50_010)))))
            .toDoubleArray();
    for (int k = 0; k < few.length; k++) {
      assertThat(many[50_000 + k]).isEqualTo(few[k]);
    }
  }

  @Test
  void polygammaDerivesDigamma() {
    Tensor<F64> x = CTX.tensor(new double[] {0.5, 1, 3.25, 40});
    // scipy.special.polygamma
    double[] first = {4.934802200544679, 1.6449340668482266, 0.3605194504661747, 0.025315103842};
    double[] third = {97.40909103400243, 6.493939402266829, 0.12046560512538, 3.2449e-05};
    double[] got = CTX.eval(polygamma(1, x)).toDoubleArray();
    double[] got3 = CTX.eval(polygamma(3, x)).toDoubleArray();
    for (int k = 0; k < 2; k++) {
      assertThat(got[k]).isCloseTo(first[k], org.assertj.core.data.Offset.offset(1e-14));
      assertThat(got3[k]).isCloseTo(third[k], org.assertj.core.data.Offset.offset(1e-12));
    }
    assertThat(CTX.eval(polygamma(0, x)).toDoubleArray())
        .isEqualTo(CTX.eval(digamma(x)).toDoubleArray());
  }

  @Test
  void misuseIsRefused() {
    Tensor<I32> whole = CTX.arange(I32, 3);
    assertThatThrownBy(() -> lgamma(whole))
        .hasMessage(
            "[lgamma] operands must be floating point; got i32[3]; cast first, as in x.cast(F64).");
    Tensor<F32> a = CTX.zeros(F32, 3);
    Tensor<F32> b = CTX.zeros(F32, 4);
    assertThatThrownBy(() -> gammainc(a, b))
        .hasMessage(
            "[gammainc] shapes must broadcast; got a f32[3], b f32[4]; last axis: 3 vs 4. Reshape"
                + " one of them.");
    assertThatThrownBy(() -> polygamma(-1, a))
        .hasMessage(
            "[polygamma] the order must be from 0 to 100; got -1; 1 is the trigamma function.");
  }
}
