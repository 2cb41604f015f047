package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.atan2;
import static ristretto.expr.Ops.exp;
import static ristretto.expr.Ops.gelu;
import static ristretto.expr.Ops.gradient;
import static ristretto.expr.Ops.log1p;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.softplus;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.commons.math3.special.Erf;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Slopes in F32 beside formulas in double, wherever F32 can hold the slope. */
class GradientExtremesTest {
  private static final Context CTX = TestDevice.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /**
   * A function and its slope.
   *
   * @param rounding relative error of the slope, in units of 2^-24 for each unit of the argument
   */
  private record Case(
      String name,
      UnaryOperator<Expr<F32>> f,
      DoubleUnaryOperator slope,
      double rounding,
      float... x) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static double sigma(double x) {
    double e = Math.exp(-Math.abs(x));
    return (x < 0 ? e : 1) / (1 + e);
  }

  private static double sigmaSlope(double x) {
    return sigma(x) * sigma(-x);
  }

  private static double geluSlope(double x) {
    double c = 2 * Math.sqrt(2 / Math.PI);
    double u = c * (x + 0.044715 * x * x * x);
    return sigma(u) + x * sigmaSlope(u) * c * (1 + 3 * 0.044715 * x * x);
  }

  private static double geluErfSlope(double x) {
    double bell = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
    return Erf.erfc(-x * Math.sqrt(0.5)) / 2 + x * bell;
  }

  private static double bySigma(double x) {
    return -sigmaSlope(x) * Math.tanh(x / 2);
  }

  /** From -100 to 100, without places where parts of a slope cancel each other. */
  private static float[] line(double from, double to) {
    var all = new ArrayList<Float>();
    for (double x = -100; x <= 100; x += 0.37) {
      if (x >= from && x <= to && (x < -2 || x > 0)) {
        all.add((float) x);
      }
    }
    float[] line = new float[all.size()];
    for (int k = 0; k < line.length; k++) {
      line[k] = all.get(k);
    }
    return line;
  }

  static Stream<Case> cases() {
    float[] all = line(-100, 100);
    float[] unit = {-0.9999999f, -0.99999f, -0.7f, 0.3f, 0.999f, 0.999999f, 0.99999994f};
    float[] large = {1.0000001f, 1.00001f, 1.5f, 30, 1e10f, 1e20f, 1e30f};
    List<Case> cases = new ArrayList<>();
    cases.add(new Case("sigmoid", Ops::sigmoid, GradientExtremesTest::sigmaSlope, 8, all));
    cases.add(new Case("softplus", Ops::softplus, GradientExtremesTest::sigma, 8, all));
    cases.add(new Case("logSigmoid", a -> softplus(a.neg()).neg(), x -> sigma(-x), 8, all));
    cases.add(
        new Case(
            "sigmoid's slope",
            a -> gradient(sum(sigmoid(a)), a),
            GradientExtremesTest::bySigma,
            8,
            all));
    cases.add(new Case("silu", Ops::silu, x -> sigma(x) + x * sigmaSlope(x), 16, all));
    cases.add(new Case("gelu", Ops::gelu, GradientExtremesTest::geluSlope, 40, all));
    cases.add(
        new Case("geluErf", Ops::geluErf, GradientExtremesTest::geluErfSlope, 40, line(-12, 100)));
    cases.add(new Case("elu", Ops::elu, x -> x > 0 ? 1 : Math.exp(x), 8, all));
    cases.add(new Case("expm1", Ops::expm1, Math::exp, 8, line(-100, 88)));
    cases.add(new Case("log1p of exp", a -> log1p(exp(a)), x -> sigma(x), 8, line(-100, 88)));
    cases.add(new Case("log1p", Ops::log1p, x -> 1 / (1 + x), 8, unit));
    cases.add(new Case("asin", Ops::asin, x -> 1 / Math.sqrt((1 - x) * (1 + x)), 8, unit));
    cases.add(new Case("acos", Ops::acos, x -> -1 / Math.sqrt((1 - x) * (1 + x)), 8, unit));
    cases.add(new Case("atanh", Ops::atanh, x -> 1 / ((1 - x) * (1 + x)), 8, unit));
    cases.add(new Case("acosh", Ops::acosh, x -> 1 / Math.sqrt((x - 1) * (x + 1)), 8, large));
    cases.add(new Case("asinh", Ops::asinh, x -> 1 / Math.sqrt(x * x + 1), 8, large));
    cases.add(
        new Case(
            "atan2 of equal ones",
            a -> atan2(a, Ops.stopGradient(a)),
            x -> 0.5 / x,
            8,
            1e-30f,
            1e-10f,
            3,
            1e20f,
            1e30f));
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void slopesKeepTheirDigits(Case c) {
    Tensor<F32> x = CTX.tensor(c.x);
    float[] got = CTX.eval(gradient(sum(c.f.apply(x)), x)).toFloatArray();
    for (int k = 0; k < c.x.length; k++) {
      double wanted = c.slope.applyAsDouble(c.x[k]);
      double size = Math.abs(wanted);
      if (size > 1e3 * Float.MIN_NORMAL && size < Float.MAX_VALUE) {
        double error = c.rounding * (4 + Math.min(Math.abs(c.x[k]), 100)) * 0x1p-24;
        assertThat((double) got[k])
            .as("%s at %s", c, c.x[k])
            .isCloseTo(wanted, within(size * error));
      } else {
        assertThat((double) got[k]).as("%s at %s", c, c.x[k]).isCloseTo(wanted, within(1e-30));
      }
    }
  }

  /** The value of a large negative element is small, not 0. */
  @Test
  void geluKeepsItsDigits() {
    float[] x = {-12, -8, -6, -4, -1, 0, 1, 4, 8};
    float[] got = CTX.eval(gelu(CTX.tensor(x))).toFloatArray();
    for (int k = 0; k < x.length; k++) {
      double u = 2 * Math.sqrt(2 / Math.PI) * (x[k] + 0.044715 * x[k] * x[k] * x[k]);
      double wanted = x[k] * sigma(u);
      double error = (8 + 4 * Math.abs(u)) * 0x1p-24;
      assertThat((double) got[k]).isCloseTo(wanted, within(Math.abs(wanted) * error + 1e-38));
    }
  }
}
