package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;
import static ristretto.expr.Ops.gelu;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.silu;
import static ristretto.expr.Ops.softplus;
import static ristretto.expr.Ops.tanh;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Program;
import ristretto.expr.RExpr;
import ristretto.expr.Tensor;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.PaddingMode;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Gradients against differences along a random direction, {@code (f(x + h d) - f(x - h d)) / 2h},
 * in F64, weighted randomly; and once more for the gradient of the gradient.
 */
class GradientTest {
  /** Context of the cases, which other tests use too; stays open for them. */
  static final Context CTX = TestDevice.open();

  private static final double H = 1e-5;

  /**
   * @param low of the inputs' elements
   */
  record Case(
      String name,
      double low,
      double high,
      boolean twice,
      Function<List<Expr<F64>>, Expr<F64>> f,
      long[]... shapes) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Case> CASES = new ArrayList<>();

  private static long[] s(long... dims) {
    return dims;
  }

  private static void unary(
      String name, double low, double high, Function<Expr<F64>, Expr<F64>> f) {
    CASES.add(new Case(name, low, high, true, x -> f.apply(x.get(0)), s(3, 5)));
  }

  private static void binary(
      String name, double low, double high, java.util.function.BinaryOperator<Expr<F64>> f) {
    for (long[][] shapes :
        new long[][][] {
          {s(3, 5), s(3, 5)},
          {s(3, 5), s(5)},
          {s(3, 1), s(1, 5)},
          {s(), s(2, 3)},
          {s(4, 1, 2), s(3, 1)}
        }) {
      String title = name + " " + Shape.of(shapes[0]) + " " + Shape.of(shapes[1]);
      CASES.add(new Case(title, low, high, true, x -> f.apply(x.get(0), x.get(1)), shapes));
    }
  }

  private static void of(String name, Function<List<Expr<F64>>, Expr<F64>> f, long[]... shapes) {
    CASES.add(new Case(name, -2, 2, true, f, shapes));
  }

  private static void once(String name, Function<List<Expr<F64>>, Expr<F64>> f, long[]... shapes) {
    CASES.add(new Case(name, 0.3, 2, false, f, shapes));
  }

  static {
    unary("exp", -2, 2, Ops::exp);
    unary("exp2", -2, 2, Ops::exp2);
    unary("expm1", -2, 2, Ops::expm1);
    unary("log", 0.2, 3, Ops::log);
    unary("log2", 0.2, 3, Ops::log2);
    unary("log10", 0.2, 3, Ops::log10);
    unary("log1p", -0.5, 3, Ops::log1p);
    unary("sqrt", 0.2, 3, Ops::sqrt);
    unary("rsqrt", 0.2, 3, Ops::rsqrt);
    unary("cbrt", 0.2, 3, Ops::cbrt);
    unary("reciprocal", 0.2, 3, Ops::reciprocal);
    unary("square", -2, 3, Ops::square);
    unary("sin", -4, 4, Ops::sin);
    unary("cos", -4, 4, Ops::cos);
    unary("tan", -1, 1, Ops::tan);
    unary("asin", -0.8, 0.8, Ops::asin);
    unary("acos", -0.8, 0.8, Ops::acos);
    unary("atan", -4, 4, Ops::atan);
    unary("sinh", -2, 2, Ops::sinh);
    unary("cosh", -2, 2, Ops::cosh);
    unary("tanh", -2, 2, Ops::tanh);
    unary("asinh", -2, 2, Ops::asinh);
    unary("acosh", 1.5, 3, Ops::acosh);
    unary("atanh", -0.8, 0.8, Ops::atanh);
    unary("erf", -2, 2, Ops::erf);
    unary("erfc", -2, 2, Ops::erfc);
    unary("sigmoid", -4, 4, Ops::sigmoid);
    unary("relu", -2, 2, Ops::relu);
    unary("gelu", -2, 2, Ops::gelu);
    unary("abs", -2, 2, Ops::abs);
    unary("neg", -2, 2, Expr::neg);
    unary("floor", -2, 2, x -> floor(x).plus(x));
    unary("pow 3", 0.5, 2, x -> x.pow(3));
    unary("pow 2.5", 0.5, 2, x -> x.pow(2.5));
    unary("clamp", -2, 2, x -> clamp(x, -1.1, 0.9));
    unary("cast", -2, 2, x -> x.times(x).cast(F64));
    unary("lambda", -2, 2, x -> map(x, v -> v > 0.1 ? v * v : Math.sin(v)));
    unary("lambda with a loop", 0.2, 2, x -> map(x, GradientTest::power));
    unary("lambda with a captured number", -2, 2, GradientTest::scaled);
    unary("lambda with an index", -2, 2, x -> mapIndexed(x, (v, i) -> v * v * i));
    unary("soft sign by hand", -2, 2, x -> x.div(abs(x).plus(1)));
    unary("reused", -2, 2, x -> x.times(exp(x)).plus(x.times(x)));
    binary("plus", -2, 2, Expr::plus);
    binary("minus", -2, 2, Expr::minus);
    binary("times", -2, 2, Expr::times);
    binary("div", 0.5, 2, Expr::div);
    binary("pow", 0.5, 2, (a, b) -> a.pow(b));
    binary("min", -2, 2, (a, b) -> min(a, b));
    binary("max", -2, 2, (a, b) -> max(a, b));
    binary("atan2", 0.5, 2, Ops::atan2);
    binary("hypot", 0.5, 2, Ops::hypot);
    binary("where", -2, 2, (a, b) -> where(a.lt(b), a.times(b), b.minus(a)));
    binary("lambda of two", 0.5, 2, (a, b) -> map(a, b, (u, v) -> u * Math.exp(v) / (u + v)));
    CASES.add(
        new Case(
            "fma", -2, 2, true, x -> fma(x.get(0), x.get(1), x.get(2)), s(3, 1), s(4), s(3, 4)));
    of("sum", x -> sum(x.get(0)), s(3, 4, 2));
    of("sum of an axis", x -> square(sum(x.get(0), 1)), s(3, 4, 2));
    of("sum of two axes", x -> square(sum(x.get(0), 0, 2).keepDims()), s(3, 4, 2));
    of("mean", x -> square(mean(x.get(0), -1)), s(3, 4));
    of("var", x -> var(x.get(0), 0), s(3, 4));
    of("std", x -> std(x.get(0), 1), s(3, 4));
    of("max over", x -> square(max(x.get(0), 1)), s(3, 7));
    of("min over", x -> square(min(x.get(0))), s(3, 7));
    of("prod", x -> prod(x.get(0), 1), s(3, 4));
    of("prod with a zero", x -> prod(x.get(0).times(pattern(1, 0, 1, 1)), 1), s(3, 4));
    of("norm", x -> norm(x.get(0), 1), s(3, 4));
    of("logSumExp", x -> logSumExp(x.get(0), 1), s(3, 4));
    of("softmax", x -> softmax(x.get(0), 1), s(3, 4));
    of("softmax of axis 0", x -> softmax(x.get(0), 0), s(3, 4));
    of("logSoftmax", x -> logSoftmax(x.get(0), 1), s(3, 4));
    of("layerNorm", x -> layerNorm(x.get(0), 1), s(3, 4));
    of("dot", x -> dot(x.get(0), x.get(1)), s(3, 4), s(4, 2));
    of("dot of a vector", x -> dot(x.get(0), x.get(1)), s(4), s(4, 2));
    of("dot with a vector", x -> dot(x.get(0), x.get(1)), s(3, 4), s(4));
    of("dot of vectors", x -> dot(x.get(0), x.get(1)), s(4), s(4));
    of("batched dot", x -> dot(x.get(0), x.get(1)), s(2, 3, 4), s(2, 4, 5));
    of("dot of a batch", x -> dot(x.get(0), x.get(1)), s(2, 3, 4), s(4, 5));
    of("broadcast dot", x -> dot(x.get(0), x.get(1)), s(2, 1, 3, 4), s(3, 4, 2));
    of("square of a matrix", x -> dot(x.get(0), x.get(0)), s(3, 3));
    of("gram matrix", x -> dot(x.get(0).t(), x.get(0)), s(3, 4));
    of("einsum", x -> einsum("bij,bkj->bik", x.get(0), x.get(1)), s(2, 3, 4), s(2, 5, 4));
    of("layer", x -> tanh(dot(x.get(0), x.get(1)).plus(x.get(2))), s(3, 4), s(4, 2), s(2));
    of("transpose", x -> square(x.get(0).t()), s(3, 4));
    of("permute", x -> square(x.get(0).permute(2, 0, 1)), s(3, 4, 2));
    of("reshape", x -> square(x.get(0).reshape(2, 6)), s(3, 4));
    of("reshape of a transpose", x -> square(x.get(0).t().reshape(6, 2)), s(3, 4));
    of("expand", x -> x.get(0).expand(2, 3, 4).times(x.get(1)), s(3, 1), s(2, 3, 4));
    of("squeeze", x -> square(x.get(0).squeeze(1)), s(3, 1, 2));
    of("flip", x -> x.get(0).flip(1).times(x.get(0)), s(3, 4));
    of("slice", x -> square(x.get(0).slice(range(1, 3), from(1))), s(4, 5));
    of("slice back", x -> square(x.get(0).slice(range(3, 0, -1))), s(4, 5));
    of("slice by steps", x -> square(x.get(0).slice(range(0, 4, 2), range(4, 0, -2))), s(4, 5));
    of("slice of a function", x -> sigmoid(x.get(0).slice(all(), at(1))), s(4, 5));
    of(
        "slices of a broadcast",
        x -> sigmoid(x.get(0).plus(x.get(1)).slice(all(), at(1))),
        s(1, 4),
        s(3, 4));
    of("slice alone", x -> x.get(0).slice(range(1, 3), range(4, 1, -1)), s(4, 5));
    of("slice at alone", x -> x.get(0).slice(all(), at(1)), s(4, 5));
    of("slice at", x -> square(x.get(0).slice(at(2))), s(4, 5));
    of("expression sliced", x -> exp(x.get(0)).slice(from(1, 2)), s(4, 5));
    of("concat", x -> square(concat(1, x.get(0), x.get(1))), s(3, 2), s(3, 4));
    of(
        "concat of many",
        x -> square(concat(0, List.of(x.get(0), x.get(1), x.get(0), x.get(1), x.get(0)))),
        s(1, 2),
        s(3, 2));
    of("stack", x -> square(stack(0, x.get(0), x.get(1))), s(3), s(3));
    of("pad", x -> square(pad(x.get(0), 1, 2, 0, 1)), s(3, 2));
    of("padWith", x -> square(padWith(x.get(0), 3, 1, 0)), s(3, 2));
    of("reflect", x -> square(pad(x.get(0), PaddingMode.REFLECT, 1, 2, 3, 0)), s(3, 5));
    of("replicate", x -> square(pad(x.get(0), PaddingMode.REPLICATE, 4, 0, 1, 7)), s(3, 5));
    of("circular", x -> square(pad(x.get(0), PaddingMode.CIRCULAR, 3, 2, 0, 5)), s(3, 5));
    of("roll", x -> roll(x.get(0), 2, 1).times(x.get(0)), s(3, 5));
    of("tile", x -> square(tile(x.get(0), 2, 3)), s(2, 2));
    of("repeat", x -> square(repeat(x.get(0), 3, 0)), s(2, 2));
    of("diff", x -> square(diff(x.get(0), 1)), s(2, 5));
    of("windows", x -> square(windows(x.get(0), 3)), s(2, 5));
    of("windows of two axes", x -> windows(x.get(0), 2, 3).times(x.get(1)), s(2, 4, 5), s(2, 3));
    of("windows with strides", x -> square(windows(x.get(0), s(2, 3), s(2, 2), s(1, 2))), s(5, 7));
    of("windows with gaps", x -> square(windows(x.get(0), s(2), s(3), s(1))), s(2, 9));
    of("convolution", GradientTest::convolution, s(2, 3, 5, 6), s(4, 3, 2, 3));
    of("pooling", x -> max(windows(x.get(0), s(2, 2), s(2, 2), s(1, 1)), -1, -2), s(2, 4, 5));
    of("diagonal", x -> square(diagonal(x.get(0))), s(3, 3));
    of("trace", x -> square(trace(x.get(0))), s(3, 3));
    of("tril", x -> square(tril(x.get(0))), s(3, 4));
    of("take", x -> square(take(x.get(0), indices(), 0)), s(4, 3));
    of("take of axis 1", x -> square(take(x.get(0), indices(), 1)), s(2, 4, 3));
    of(
        "takeAlongAxis",
        x -> square(takeAlongAxis(x.get(0), argSort(stopGradient(x.get(0)), 1), 1)),
        s(3, 4));
    of("scatterAdd", x -> square(scatterAdd(Shape.of(4, 3), 0, indices(), x.get(0))), s(5, 3));
    of("sort", x -> sort(x.get(0), 1).times(pattern(1, 2, 3, 4)), s(3, 4));
    of("topK", x -> square(topK(x.get(0), 2, 1)), s(3, 4));
    of("cumSum", x -> square(cumSum(x.get(0), 1)), s(3, 4));
    once("cumProd", x -> cumProd(x.get(0), 1), s(3, 4));
    once("cumMax", x -> square(cumMax(x.get(0), 1)), s(3, 4));
    once("cumMin", x -> square(cumMin(x.get(0), 0)), s(3, 4));
    of("view of a tensor", x -> dot(x.get(0).t(), x.get(0).slice(from(0), range(0, 2))), s(3, 4));
    of("own operator", x -> new Product3(x.get(0), x.get(1), x.get(0)), s(3), s(3));
    of(
        "stopped",
        x -> x.get(0).times(x.get(1)).plus(stopGradient(x.get(1)).minus(x.get(1))),
        s(3),
        s(3));
  }

  private static double power(double x) {
    double y = 1;
    for (int i = 0; i < 5 && y < 20; i++) {
      y = y * x + Math.exp(-x);
    }
    return y;
  }

  private static Expr<F64> scaled(Expr<F64> x) {
    double factor = 1.5 + x.shape().rank();
    return map(x, v -> Math.cos(v * factor));
  }

  /**
   * Convolution of images {@code [n, c, h, w]} with filters {@code [f, c, kh, kw]}, padded by one.
   */
  private static Expr<F64> convolution(List<Expr<F64>> x) {
    Expr<F64> windows = windows(pad(x.get(0), 0, 0, 0, 0, 1, 1, 1, 1), 2, 3);
    return einsum("nchwij,fcij->nfhw", windows, x.get(1));
  }

  private static Expr<F64> pattern(double... values) {
    return CTX.tensor(values, values.length);
  }

  private static Tensor<I32> indices() {
    return CTX.tensor(new int[] {3, 0, -1, 1, 0}, 5);
  }

  /** Written as a user would, without a word on derivatives. */
  private static final class Product3 extends RExpr<F64> {
    Product3(Expr<F64> a, Expr<F64> b, Expr<F64> c) {
      super(a.dtype(), a.shape(), a, b, c);
    }

    @Override
    protected Scalar read(Reads in) {
      return in.input(0).times(in.input(1)).times(in.input(2)).plus(in.coordinate(0).cast(F64));
    }
  }

  static Stream<Case> cases() {
    return CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithDifferences(Case c) {
    boolean stopped = c.name.equals("stopped");
    List<Tensor<F64>> x = inputs(c, 1);
    Expr<F64> y = c.f.apply(List.copyOf(x));
    Tensor<F64> weight = CTX.eval(uniform(F64, 77, y.shape().toArray()).minus(0.4));
    List<Expr<?>> gradients = Gradients.of(y, weight, x);
    for (int k = 0; k < x.size(); k++) {
      assertThat(gradients.get(k).shape()).isEqualTo(x.get(k).shape());
    }
    if (stopped) {
      return;
    }
    check(c, x, v -> sum(c.f.apply(v).times(weight)), gradients);
    if (c.twice) {
      // The slope along a direction is a function of x too.
      List<Tensor<F64>> along = inputs(new Case("", -1, 1, false, c.f, c.shapes), 5);
      Function<List<Expr<F64>>, Expr<F64>> slope =
          v -> {
            Expr<F64> total = scalar(F64, 0);
            List<Expr<?>> parts = Gradients.of(c.f.apply(v), weight, v);
            for (int k = 0; k < parts.size(); k++) {
              total = total.plus(sum(typed(parts.get(k)).times(along.get(k))));
            }
            return total;
          };
      check(c, x, slope, Gradients.of(slope.apply(List.copyOf(x)), x));
    }
  }

  private static void check(
      Case c,
      List<Tensor<F64>> x,
      Function<List<Expr<F64>>, Expr<F64>> f,
      List<Expr<?>> gradients) {
    List<Tensor<F64>> direction = inputs(new Case("", -1, 1, false, c.f, c.shapes), 9);
    double slope = 0;
    var up = new ArrayList<Expr<F64>>();
    var down = new ArrayList<Expr<F64>>();
    for (int k = 0; k < x.size(); k++) {
      slope += CTX.eval(sum(typed(gradients.get(k)).times(direction.get(k)))).item();
      up.add(CTX.eval(x.get(k).plus(direction.get(k).times(H))));
      down.add(CTX.eval(x.get(k).minus(direction.get(k).times(H))));
    }
    double difference = CTX.eval(f.apply(up)).item() - CTX.eval(f.apply(down)).item();
    double expected = difference / (2 * H);
    assertThat(slope).as(c.name).isCloseTo(expected, within(1e-5 * (1 + Math.abs(expected))));
  }

  @SuppressWarnings("unchecked")
  private static Expr<F64> typed(Expr<?> e) {
    return (Expr<F64>) e;
  }

  private static List<Tensor<F64>> inputs(Case c, long seed) {
    var x = new ArrayList<Tensor<F64>>();
    for (long[] shape : c.shapes) {
      x.add(CTX.eval(uniform(F64, seed + x.size(), shape).times(c.high - c.low).plus(c.low)));
    }
    return x;
  }

  @Test
  void stoppedValuesAreConstants() {
    Tensor<F64> x = CTX.tensor(new double[] {3}, 1);
    assertThat(CTX.eval(gradient(x.times(stopGradient(x)), x)).item()).isEqualTo(3);
    assertThat(CTX.eval(gradient(stopGradient(x), x)).item()).isZero();
  }

  @Test
  void cornersHaveTheSlopeOfOneSide() {
    Tensor<F64> x = CTX.tensor(new double[] {-1, 0, 1}, 3);
    assertThat(CTX.eval(gradient(relu(x), x)).toDoubleArray()).containsExactly(0, 0, 1);
    assertThat(CTX.eval(gradient(abs(x), x)).toDoubleArray()).containsExactly(-1, 0, 1);
    Tensor<F64> equal = CTX.tensor(new double[] {2, 2, 1, 2}, 4);
    assertThat(CTX.eval(gradient(max(equal, 0), equal)).toDoubleArray())
        .containsExactly(1 / 3.0, 1 / 3.0, 0, 1 / 3.0);
  }

  /** Slopes are 0 where exponentials overflow, not a product of 0 and infinity. */
  @Test
  void functionsThatSaturateHaveSlopesEverywhere() {
    Tensor<F32> x = CTX.tensor(new float[] {-1000, -100, -80, 0, 100, 1000}, 6);
    assertThat(CTX.eval(gradient(sigmoid(x), x)).toFloatArray())
        .containsExactly(0, 3.8e-44f, 1.8048513e-35f, 0.25f, 3.8e-44f, 0);
    assertThat(CTX.eval(gradient(silu(x), x)).toFloatArray())
        .usingComparatorWithPrecision(1e-6f)
        .containsExactly(0, 0, 0, 0.5f, 1, 1);
    assertThat(CTX.eval(gradient(tanh(x), x)).toFloatArray()).containsExactly(0, 0, 0, 1, 0, 0);
    assertThat(CTX.eval(gradient(softplus(x), x)).toFloatArray())
        .usingComparatorWithPrecision(1e-6f)
        .containsExactly(0, 0, 0, 0.5f, 1, 1);
    assertThat(CTX.eval(gradient(gelu(x), x)).toFloatArray())
        .usingComparatorWithPrecision(1e-6f)
        .containsExactly(0, 0, 0, 0.5f, 1, 1);
  }

  @Test
  void aLayersBackwardPassFuses() {
    Tensor<F32> x = CTX.ones(F32, 8, 4);
    Tensor<F32> w = CTX.ones(F32, 4, 3);
    Tensor<F32> b = CTX.ones(F32, 3);
    Expr<F32> y = sigmoid(x.times(2).plus(1));
    assertThat(CTX.explain(gradient(y, x)).kernelCount()).isEqualTo(1);
    assertThat(CTX.explain(gradient(softmax(x, 1).times(x), x)).kernelCount()).isEqualTo(1);
    Expr<F32> loss = mean(square(dot(x, w).plus(b)));
    assertThat(CTX.explain(gradient(loss, b)).kernelCount()).isLessThanOrEqualTo(2);
    assertThat(CTX.eval(gradient(loss, w)).shape()).isEqualTo(w.shape());
  }

  @Test
  void whatHasNoGradientSaysSo() {
    Tensor<F32> x = CTX.ones(F32, 3);
    assertThatThrownBy(() -> gradient(reduce(x, 0f, (u, v) -> u + v), x))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradient] each operation between y and the input must have a derivative; got lambda"
                + " over [0] of f32[1]; override gradients(dy) in Reduce, or stop there with"
                + " stopGradient.");
    assertThatThrownBy(() -> gradient(x.cast(I32), x))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradient] results and inputs must be floating point; got i32[3]; cast first, as in"
                + " x.cast(F32).");
  }

  @Test
  void whatHasNoSlopeHasZeros() {
    Tensor<F32> x = CTX.ones(F32, 3);
    Tensor<F32> y = CTX.ones(F32, 2);
    assertThat(CTX.eval(gradient(floor(x), x)).toFloatArray()).containsExactly(0, 0, 0);
    assertThat(CTX.eval(gradient(x.gt(0).cast(F32), x)).toFloatArray()).containsExactly(0, 0, 0);
    assertThat(CTX.eval(gradientOrZero(exp(x), y)).toFloatArray()).containsExactly(0, 0);
    assertThat(CTX.eval(gradientOrZero(exp(x), x)).toFloatArray())
        .containsExactly(CTX.eval(exp(x)).toFloatArray());
    List<Expr<?>> both = Gradients.ofOrZero(exp(x), ones(x), List.of(y, x));
    assertThat(CTX.eval(both.get(0)).as(F32).toFloatArray()).containsExactly(0, 0);
  }

  private static Expr<F32> ones(Expr<F32> like) {
    return fill(F32, 1, like.shape().toArray());
  }

  @Test
  void whatNoPathConnectsIsAnError() {
    Tensor<F32> x = CTX.ones(F32, 3);
    Tensor<F32> w = CTX.ones(F32, 2, 3);
    assertThatThrownBy(() -> gradient(exp(x.times(2)), x.times(2)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradient] y must be computed from the same object that is passed as the input; got y"
                + " f32[3], which never reads the f32[3]; keep the input of y in a Java variable"
                + " and pass that, or use gradientOrZero if zeros are intended.");
    assertThatThrownBy(() -> gradient(exp(w), w.t()))
        .hasMessageContaining("which never reads the f32[3,2]");
    assertThatThrownBy(() -> gradient(CTX.eval(exp(x)), x))
        .hasMessageContaining("which never reads the f32[3]");
    assertThatThrownBy(() -> Gradients.of(exp(x), List.of(x, w)))
        .hasMessageContaining("which never reads the f32[2,3]");
  }

  /** A gradient of one's own, here of values in memory, is differentiated like any other. */
  @Test
  void customGradients() {
    Tensor<F64> x = CTX.tensor(new double[] {1, 2, 3}, 3);
    Tensor<F64> values = CTX.eval(x.times(x).times(x));
    Expr<F64> cubes =
        Gradients.custom(
            values,
            () -> List.of(x, values),
            (dy, wanted) -> {
              assertThat(wanted.test(0)).isTrue();
              assertThat(wanted.test(1)).isFalse();
              return java.util.Arrays.asList(dy.times(x).times(x).times(3), null);
            });
    assertThat(CTX.eval(cubes).toDoubleArray()).containsExactly(1, 8, 27);
    Expr<F64> slope = gradient(cubes, x);
    assertThat(CTX.eval(slope).toDoubleArray()).containsExactly(3, 12, 27);
    assertThat(CTX.eval(gradient(slope, x)).toDoubleArray()).containsExactly(6, 12, 18);
    Tensor<F64> w = CTX.ones(F64, 3, 1);
    Expr<F64> product = dot(cubes.reshape(1, 3), w);
    assertThat(CTX.explain(product).kernelCount()).isEqualTo(1);
    Tensor<F64> y = CTX.zeros(F64, 1, 1);
    Program program = CTX.recordOnly(() -> CTX.assign(y, product));
    program.run();
    assertThat(y.item()).isEqualTo(36);
    assertThat(program.explain().kernelCount()).isEqualTo(1);
  }
}
