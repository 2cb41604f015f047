package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.OpCase.Domain.*;
import static ristretto.testkit.Tolerance.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;
import ristretto.expr.Expr;
import ristretto.expr.type.BF16;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.testkit.AxesCase.Rule;
import ristretto.testkit.OpCase.Domain;

/** Test cases of functions of whole rows, with loops over doubles as oracles. */
final class RowFunctionCases {
  /** Tolerance for a long sum of terms of very different magnitude. */
  private static final Tolerance SOFTMAX = new Tolerance(16, 2e-6, 0);

  static final List<AxesCase> CASES = new ArrayList<>();

  private RowFunctionCases() {}

  private interface Along {
    Expr<F32> apply(Expr<F32> a, int axis);
  }

  private static void row(
      String name,
      Rule rule,
      Domain domain,
      Tolerance tolerance,
      Along ours,
      UnaryOperator<double[]> oracle) {
    CASES.add(
        new AxesCase(
            name + " of " + domain,
            rule,
            List.of(F32, F64),
            domain,
            tolerance,
            (a, axes) -> ours.apply(a, axes[0]),
            (v, axes) -> v.rows(oracle, axes[0])));
  }

  static double[] softmaxOf(double... row) {
    double max = DoubleStream.of(row).reduce(Double.NEGATIVE_INFINITY, Math::max);
    double[] e = DoubleStream.of(row).map(v -> Math.exp(v - max)).toArray();
    double sum = DoubleStream.of(e).sum();
    return DoubleStream.of(e).map(v -> v / sum).toArray();
  }

  static double[] logSoftmaxOf(double... row) {
    double max = DoubleStream.of(row).reduce(Double.NEGATIVE_INFINITY, Math::max);
    double log = Math.log(DoubleStream.of(row).map(v -> Math.exp(v - max)).sum());
    return DoubleStream.of(row).map(v -> v - max - log).toArray();
  }

  private static double[] layerNormOf(double epsilon, double... row) {
    double mean = DoubleStream.of(row).sum() / row.length;
    double var = DoubleStream.of(row).map(v -> (v - mean) * (v - mean)).sum() / row.length;
    return DoubleStream.of(row).map(v -> (v - mean) / Math.sqrt(var + epsilon)).toArray();
  }

  static {
    for (Domain domain : List.of(ANY, SMALL)) {
      row(
          "softmax",
          Rule.ONE,
          domain,
          SOFTMAX,
          (a, axis) -> softmax(a, axis),
          row -> softmaxOf(row));
      row(
          "logSoftmax",
          Rule.ONE,
          domain,
          CANCELLING,
          (a, axis) -> logSoftmax(a, axis),
          row -> logSoftmaxOf(row));
    }
    for (DType<?> half : List.of(F16, BF16)) {
      CASES.add(
          new AxesCase(
              "softmax of " + half,
              Rule.ONE,
              List.of(half),
              SMALL,
              HALF,
              (a, axes) -> softmax(a, axes[0]),
              (v, axes) -> v.rows(row -> softmaxOf(row), axes[0])));
    }
    row(
        "layerNorm",
        Rule.ONE,
        SMALL,
        CANCELLING,
        (a, axis) -> layerNorm(a, axis),
        row -> layerNormOf(1e-5, row));
    row(
        "layerNorm with its own epsilon",
        Rule.ONE,
        ANY,
        CANCELLING,
        (a, axis) -> layerNorm(a, axis, 0.5),
        row -> layerNormOf(0.5, row));
    row(
        "softmax, scaled, in the middle of a map",
        Rule.ONE,
        ANY,
        CANCELLING,
        (a, axis) -> softmax(a.times(0.5), axis).times(a).plus(1),
        row -> {
          double[] s = softmaxOf(DoubleStream.of(row).map(v -> v / 2).toArray());
          Arrays.setAll(s, k -> s[k] * row[k] + 1);
          return s;
        });
    row(
        "mean and maximum of a row together",
        Rule.ONE_WITH_ELEMENTS,
        SMALL,
        EQUAL,
        (a, axis) -> a.minus(max(a, axis).keepDims()).times(sum(a, axis).keepDims()),
        row -> {
          double max = DoubleStream.of(row).reduce(Double.NEGATIVE_INFINITY, Math::max);
          double sum = DoubleStream.of(row).sum();
          return DoubleStream.of(row).map(v -> (v - max) * sum).toArray();
        });
  }
}
