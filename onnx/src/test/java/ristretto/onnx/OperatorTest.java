package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;
import static ristretto.onnx.ModelBytes.attribute;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;

/** Operators of numbers in F64, beside plain loops, with their gradients. */
class OperatorTest {
  private static final int DOUBLE = 11;
  private static final int BOOL = 9;
  private static final double H = 1e-6;

  @TempDir Path folder;

  /** Kind of an operator: with a gradient that differences show, piecewise constant, or logical. */
  private enum Kind {
    SMOOTH,
    STEPS,
    LOGICAL
  }

  /**
   * Case of an operator.
   *
   * @param low smallest value of the inputs
   * @param oracle value of each element of the output, given the inputs broadcast to its shape
   */
  private record Pointwise(
      String operator,
      Kind kind,
      double low,
      double high,
      long[][] shapes,
      Function<double[], Double> oracle,
      byte[]... attributes) {
    @Override
    public String toString() {
      return operator + Stream.of(shapes).map(java.util.Arrays::toString).toList();
    }
  }

  private static final long[][][] ONE = {{{0}}, {{1}}, {{17}}, {{3, 5, 7}}};
  private static final long[][][] TWO = {
    {{17}, {17}}, {{3, 5}, {1}}, {{4, 1, 3}, {5, 1}}, {{1, 7}, {3, 1}}, {{0, 3}, {3}}
  };
  private static final long[][][] THREE = {{{7}, {7}, {7}}, {{3, 1}, {1, 5}, {2, 1, 1}}};

  private static void one(
      List<Pointwise> all, String operator, DoubleUnaryOperator f, byte[]... attributes) {
    in(all, operator, Kind.SMOOTH, -2, 2, f, attributes);
  }

  private static void in(
      List<Pointwise> all,
      String operator,
      Kind kind,
      double low,
      double high,
      DoubleUnaryOperator f,
      byte[]... attributes) {
    for (long[][] shapes : ONE) {
      all.add(
          new Pointwise(operator, kind, low, high, shapes, v -> f.applyAsDouble(v[0]), attributes));
    }
  }

  private static void two(
      List<Pointwise> all, String operator, Kind kind, double low, DoubleBinaryOperator f) {
    for (long[][] shapes : TWO) {
      all.add(new Pointwise(operator, kind, low, 2, shapes, v -> f.applyAsDouble(v[0], v[1])));
    }
  }

  private static void some(
      List<Pointwise> all, String operator, Function<double[], Double> f, byte[]... attributes) {
    for (long[][] shapes : THREE) {
      all.add(new Pointwise(operator, Kind.SMOOTH, -2, 2, shapes, f, attributes));
    }
  }

  private static double of(boolean condition) {
    return condition ? 1 : 0;
  }

  private static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  private static double softplus(double x) {
    return Math.log1p(Math.exp(x));
  }

  static List<Pointwise> pointwise() {
    var all = new ArrayList<Pointwise>();
    one(all, "Abs", Math::abs);
    one(all, "Neg", x -> -x);
    one(all, "Exp", Math::exp);
    one(all, "Sin", Math::sin);
    one(all, "Cos", Math::cos);
    one(all, "Atan", Math::atan);
    one(all, "Sinh", Math::sinh);
    one(all, "Cosh", Math::cosh);
    one(all, "Tanh", Math::tanh);
    one(all, "Asinh", x -> Math.signum(x) * Math.log(Math.abs(x) + Math.sqrt(x * x + 1)));
    one(all, "Sigmoid", OperatorTest::sigmoid);
    one(all, "Softplus", OperatorTest::softplus);
    one(all, "Softsign", x -> x / (1 + Math.abs(x)));
    one(all, "Mish", x -> x * Math.tanh(softplus(x)));
    one(all, "Relu", x -> Math.max(x, 0));
    one(all, "HardSwish", x -> x * Math.clamp(x / 6 + 0.5, 0, 1));
    one(all, "Identity", x -> x);
    one(all, "LeakyRelu", x -> x < 0 ? 0.125 * x : x, attribute("alpha", 0.125f));
    one(all, "Elu", x -> x < 0 ? 0.5 * Math.expm1(x) : x, attribute("alpha", 0.5f));
    one(
        all,
        "Celu",
        x -> Math.max(0, x) + Math.min(0, 0.5 * Math.expm1(x / 0.5)),
        attribute("alpha", 0.5f));
    one(
        all,
        "Selu",
        x -> x > 0 ? 2 * x : 2 * 1.5 * Math.expm1(x),
        attribute("alpha", 1.5f),
        attribute("gamma", 2f));
    one(
        all,
        "HardSigmoid",
        x -> Math.clamp(0.25 * x + 0.375, 0, 1),
        attribute("alpha", 0.25f),
        attribute("beta", 0.375f));
    one(all, "ThresholdedRelu", x -> x > 0.5 ? x : 0, attribute("alpha", 0.5f));
    one(
        all,
        "Shrink",
        x -> x < -0.75 ? x + 0.25 : x > 0.75 ? x - 0.25 : 0,
        attribute("lambd", 0.75f),
        attribute("bias", 0.25f));
    in(all, "Tan", Kind.SMOOTH, -1, 1, Math::tan);
    in(all, "Asin", Kind.SMOOTH, -0.9, 0.9, Math::asin);
    in(all, "Acos", Kind.SMOOTH, -0.9, 0.9, Math::acos);
    in(all, "Atanh", Kind.SMOOTH, -0.9, 0.9, x -> 0.5 * Math.log((1 + x) / (1 - x)));
    in(all, "Acosh", Kind.SMOOTH, 1.1, 4, x -> Math.log(x + Math.sqrt(x * x - 1)));
    in(all, "Log", Kind.SMOOTH, 0.1, 4, Math::log);
    in(all, "Sqrt", Kind.SMOOTH, 0.1, 4, Math::sqrt);
    in(all, "Reciprocal", Kind.SMOOTH, 0.1, 4, x -> 1 / x);
    in(all, "Floor", Kind.STEPS, -3, 3, Math::floor);
    in(all, "Ceil", Kind.STEPS, -3, 3, Math::ceil);
    in(all, "Round", Kind.STEPS, -3, 3, Math::rint);
    in(all, "Sign", Kind.STEPS, -3, 3, Math::signum);
    in(all, "IsNaN", Kind.LOGICAL, -3, 3, x -> of(Double.isNaN(x)));
    two(all, "Add", Kind.SMOOTH, -2, Double::sum);
    two(all, "Sub", Kind.SMOOTH, -2, (a, b) -> a - b);
    two(all, "Mul", Kind.SMOOTH, -2, (a, b) -> a * b);
    two(all, "Div", Kind.SMOOTH, 0.5, (a, b) -> a / b);
    two(all, "Pow", Kind.SMOOTH, 0.5, Math::pow);
    two(all, "Less", Kind.LOGICAL, -2, (a, b) -> of(a < b));
    two(all, "LessOrEqual", Kind.LOGICAL, -2, (a, b) -> of(a <= b));
    two(all, "Greater", Kind.LOGICAL, -2, (a, b) -> of(a > b));
    two(all, "GreaterOrEqual", Kind.LOGICAL, -2, (a, b) -> of(a >= b));
    two(all, "Equal", Kind.LOGICAL, -2, (a, b) -> of(a == b));
    some(all, "Sum", v -> v[0] + v[1] + v[2]);
    some(all, "Mean", v -> (v[0] + v[1] + v[2]) / 3);
    some(all, "Max", v -> Math.max(v[0], Math.max(v[1], v[2])));
    some(all, "Min", v -> Math.min(v[0], Math.min(v[1], v[2])));
    return all;
  }

  private static Shape broadcast(long[][] shapes) {
    int rank = Stream.of(shapes).mapToInt(s -> s.length).max().orElseThrow();
    long[] dims = new long[rank];
    for (int d = 0; d < rank; d++) {
      dims[d] = 1;
      for (long[] s : shapes) {
        int at = d - rank + s.length;
        if (at >= 0 && s[at] != 1) {
          dims[d] = s[at];
        }
      }
    }
    return Shape.of(dims);
  }

  /** Index of the element of an operand that an element of the broadcast shape reads. */
  private static int index(int element, Shape shape, long[] operand) {
    long at = 0;
    long stride = 1;
    long rest = element;
    for (int d = shape.rank() - 1; d >= 0; d--) {
      long i = rest % shape.at(d);
      rest /= shape.at(d);
      int own = d - shape.rank() + operand.length;
      if (own >= 0) {
        at += operand[own] == 1 ? 0 : i * stride;
        stride *= operand[own];
      }
    }
    return Math.toIntExact(at);
  }

  private static double[] values(long[] shape, double low, double high, long seed) {
    var random = new SplittableRandom(seed);
    return random
        .doubles(Shape.of(shape).size(), low, high)
        // Away from the kinks, where differences are no derivatives.
        .map(x -> Math.abs(x) < 1e-3 ? 0.1 : x)
        .toArray();
  }

  @ParameterizedTest
  @MethodSource("pointwise")
  void elementwise(Pointwise c) {
    int count = c.shapes.length;
    List<String> names = IntStream.range(0, count).mapToObj(k -> "x" + k).toList();
    var model = new ModelBytes(18).node(c.operator, String.join(" ", names), "y", c.attributes);
    for (int k = 0; k < count; k++) {
      model.input(names.get(k), DOUBLE, c.shapes[k]);
    }
    Shape shape = broadcast(c.shapes);
    model.output("y", c.kind == Kind.LOGICAL ? BOOL : DOUBLE, shape.toArray());
    var all = new double[count][];
    for (int k = 0; k < count; k++) {
      all[k] = values(c.shapes[k], c.low, c.high, 7 + k);
    }
    double[] expected =
        IntStream.range(0, Math.toIntExact(shape.size()))
            .mapToDouble(i -> {
              double[] v = new double[count];
              for (int k = 0; k < count; k++) {
                v[k] = all[k][index(i, shape, c.shapes[k])];
              }
              return c.oracle.apply(v);
            })
            .toArray();
    check(model, names, c.shapes, all, expected, shape, c.kind == Kind.SMOOTH);
  }

  private void check(
      ModelBytes model,
      List<String> names,
      long[][] shapes,
      double[][] all,
      double[] expected,
      Shape shape,
      boolean smooth) {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, model.write(folder));
      var inputs = inputs(ctx, names, shapes, all);
      Tensor<?> y = m.run(inputs).get("y");
      assertThat(y.shape()).isEqualTo(shape);
      assertThat(ctx.eval(y.cast(F64)).toDoubleArray()).containsExactly(expected, within(1e-12));
      if (!smooth || shape.size() == 0) {
        return;
      }
      // The slope along a random direction of all inputs, by gradients and by differences.
      Expr<F64> weight = Ops.uniform(F64, 3, shape.toArray());
      double slope = 0;
      var more = new double[all.length][];
      var less = new double[all.length][];
      Expr<F64> sum = Ops.sum(f64(m.of(inputs).get("y")).times(weight));
      for (int k = 0; k < all.length; k++) {
        double[] direction = values(shapes[k], -1, 1, 100 + k);
        double[] g = ctx.eval(Ops.gradient(sum, inputs.get(names.get(k)))).toDoubleArray();
        more[k] = new double[g.length];
        less[k] = new double[g.length];
        for (int i = 0; i < g.length; i++) {
          slope += g[i] * direction[i];
          more[k][i] = all[k][i] + H * direction[i];
          less[k][i] = all[k][i] - H * direction[i];
        }
      }
      double after = value(ctx, m, inputs(ctx, names, shapes, more), weight);
      double before = value(ctx, m, inputs(ctx, names, shapes, less), weight);
      assertThat(slope)
          .isCloseTo((after - before) / (2 * H), within(1e-6 * Math.max(1, Math.abs(slope))));
    }
  }

  private static Map<String, Tensor<F64>> inputs(
      Context ctx, List<String> names, long[][] shapes, double[][] all) {
    var inputs = new HashMap<String, Tensor<F64>>();
    for (int k = 0; k < all.length; k++) {
      inputs.put(names.get(k), ctx.tensor(all[k], shapes[k]));
    }
    return inputs;
  }

  private static double value(
      Context ctx, Model m, Map<String, Tensor<F64>> inputs, Expr<F64> weight) {
    return ctx.eval(Ops.sum(f64(m.run(inputs).get("y")).times(weight))).item();
  }

  @SuppressWarnings("unchecked")
  private static Expr<F64> f64(Expr<?> e) {
    return (Expr<F64>) e;
  }

  /** Case of an operator that reduces or normalizes rows {@code [2, 3, 5]} along the last axis. */
  private record Rows(
      String operator, boolean keeps, Function<double[], double[]> oracle, byte[]... attributes) {
    @Override
    public String toString() {
      return operator;
    }
  }

  private static Rows reduction(String operator, Function<double[], Double> f) {
    return new Rows(
        operator,
        false,
        row -> new double[] {f.apply(row)},
        ModelBytes.integers("axes", -1),
        attribute("keepdims", 0));
  }

  private static double sum(double[] row, DoubleUnaryOperator f) {
    return java.util.Arrays.stream(row).map(f).sum();
  }

  static List<Rows> rows() {
    return List.of(
        reduction("ReduceL1", r -> sum(r, Math::abs)),
        reduction("ReduceL2", r -> Math.sqrt(sum(r, x -> x * x))),
        reduction("ReduceLogSum", r -> Math.log(sum(r, x -> x))),
        reduction("ReduceLogSumExp", r -> Math.log(sum(r, Math::exp))),
        reduction("ReduceMax", r -> java.util.Arrays.stream(r).max().orElseThrow()),
        reduction("ReduceMin", r -> java.util.Arrays.stream(r).min().orElseThrow()),
        reduction("ReduceMean", r -> sum(r, x -> x) / r.length),
        reduction("ReduceProd", r -> java.util.Arrays.stream(r).reduce(1, (a, b) -> a * b)),
        reduction("ReduceSumSquare", r -> sum(r, x -> x * x)),
        new Rows(
            "Softmax",
            true,
            r -> java.util.Arrays.stream(r).map(x -> Math.exp(x) / sum(r, Math::exp)).toArray(),
            attribute("axis", -1)),
        new Rows(
            "LogSoftmax",
            true,
            r -> java.util.Arrays.stream(r).map(x -> x - Math.log(sum(r, Math::exp))).toArray(),
            attribute("axis", 2)),
        new Rows(
            "LpNormalization",
            true,
            r -> java.util.Arrays.stream(r).map(x -> x / Math.sqrt(sum(r, v -> v * v))).toArray(),
            attribute("axis", -1),
            attribute("p", 2)));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void alongRows(Rows c) {
    long[] dims = {2, 3, 5};
    Shape shape = c.keeps ? Shape.of(dims) : Shape.of(2, 3);
    // Axes are an attribute up to operator set 17.
    var model =
        new ModelBytes(17)
            .node(c.operator, "x", "y", c.attributes)
            .input("x", DOUBLE, dims)
            .output("y", DOUBLE, shape.toArray());
    double[] x = values(dims, 0.2, 2, 5);
    double[] expected =
        IntStream.range(0, 6)
            .boxed()
            .flatMapToDouble(k ->
                java.util.Arrays.stream(
                    c.oracle.apply(java.util.Arrays.copyOfRange(x, 5 * k, 5 * k + 5))))
            .toArray();
    check(model, List.of("x"), new long[][] {dims}, new double[][] {x}, expected, shape, true);
  }
}
