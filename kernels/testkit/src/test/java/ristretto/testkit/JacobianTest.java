package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Jacobians and Hessians beside central differences in F64, and products with vectors. */
class JacobianTest {
  private static final Context CTX = TestDevice.open();
  private static final double H = 1e-4;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private record Case(String name, Function<Expr<F64>, Expr<F64>> f, long... dims) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return TestDevice.portion(1).of(every(), 5).stream();
  }

  private static List<Case> every() {
    return List.of(
        new Case("element-wise", x -> exp(x).times(x), 5),
        new Case("sum", x -> sum(x.times(x).times(x)), 2, 3),
        new Case("one element", x -> sum(sin(x)).reshape(1), 3),
        new Case("of one element", x -> stack(0, x, x.times(x)), 1),
        new Case("of a scalar", x -> stack(0, sin(x), cos(x), x.times(x)), new long[0]),
        new Case("softmax", x -> softmax(x, 0), 4),
        new Case("product", x -> dot(x, x.t()), 2, 3),
        new Case("layer", x -> tanh(dot(x, weights())), 2, 3),
        new Case("rosenbrock", JacobianTest::rosenbrock, 4),
        new Case("views", x -> square(x.t().slice(from(1), all()).flip(0)), 2, 3),
        new Case("sort", x -> square(sort(x, 0)), 5),
        new Case("cumulative", x -> cumSum(square(x), 0), 5),
        new Case("lambda", x -> map(x, v -> v > 0 ? v * v : Math.sin(v)), 5),
        new Case("lambda with an index", x -> mapIndexed(x, (v, i) -> v * v * i), 2, 3),
        new Case("take", x -> square(take(x, CTX.tensor(new int[] {2, 0, 0}, 3), 0)), 4),
        new Case("norm", x -> norm(x, 0), 3, 2));
  }

  private static Tensor<F64> weights() {
    return CTX.eval(normal(F64, 4, 3, 2));
  }

  private static Expr<F64> rosenbrock(Expr<F64> x) {
    Expr<F64> a = x.slice(range(0, 3));
    Expr<F64> b = x.slice(range(1, 4));
    return sum(square(b.minus(square(a))).times(100).plus(square(a.minus(1).neg())));
  }

  private static Tensor<F64> input(Case c) {
    return CTX.eval(uniform(F64, 3, c.dims).times(1.5).minus(0.6));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void jacobiansAreDifferences(Case c) {
    Tensor<F64> x = input(c);
    Expr<F64> y = c.f.apply(x);
    Expr<F64> jacobian = jacobian(y, x);
    assertThat(jacobian.shape()).isEqualTo(joined(y.shape(), x.shape()));
    columns("jacobian", jacobian, v -> c.f.apply(v), x);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void hessiansAreDifferencesOfJacobians(Case c) {
    Tensor<F64> x = input(c);
    Expr<F64> y = c.f.apply(x);
    Expr<F64> hessian = hessian(y, x);
    assertThat(hessian.shape()).isEqualTo(joined(joined(y.shape(), x.shape()), x.shape()));
    columns("hessian", hessian, v -> jacobian(c.f.apply(v), v), x);
  }

  /** Compares the columns of a Jacobian with central differences of a function. */
  private static void columns(
      String what, Expr<F64> jacobian, Function<Tensor<F64>, Expr<F64>> f, Tensor<F64> x) {
    double[] actual = CTX.eval(jacobian).toDoubleArray();
    double[] values = x.toDoubleArray();
    int n = values.length;
    for (int j = 0; j < n; j++) {
      double[] up = CTX.eval(f.apply(moved(values, j, H, x.shape()))).toDoubleArray();
      double[] down = CTX.eval(f.apply(moved(values, j, -H, x.shape()))).toDoubleArray();
      assertThat(actual).hasSize(up.length * n);
      for (int i = 0; i < up.length; i++) {
        double expected = (up[i] - down[i]) / (2 * H);
        assertThat(actual[i * n + j])
            .as("%s [%d, %d]", what, i, j)
            .isCloseTo(expected, within(1e-5 * (1 + Math.abs(expected))));
      }
    }
  }

  private static Tensor<F64> moved(double[] values, int j, double by, Shape shape) {
    double[] copy = values.clone();
    copy[j] += by;
    return CTX.tensor(copy, shape.toArray());
  }

  private static Shape joined(Shape a, Shape b) {
    long[] dims = java.util.Arrays.copyOf(a.toArray(), a.rank() + b.rank());
    System.arraycopy(b.toArray(), 0, dims, a.rank(), b.rank());
    return Shape.of(dims);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void productsWithVectors(Case c) {
    Tensor<F64> x = input(c);
    Tensor<F64> v = CTX.eval(normal(F64, 8, c.dims));
    Expr<F64> y = c.f.apply(x);
    long m = y.shape().size();
    long n = x.shape().size();
    Expr<F64> jacobian = jacobian(y, x).reshape(m, n);
    close("jvp", jvp(y, x, v), dot(jacobian, v.flatten()).reshape(y.shape().toArray()));
    Expr<F64> loss = sum(y.times(y));
    Expr<F64> hessian = hessian(loss, x).reshape(n, n);
    close("hvp", hvp(loss, x, v), dot(hessian, v.flatten()).reshape(c.dims));
  }

  private static void close(String what, Expr<F64> a, Expr<F64> b) {
    assertThat(a.shape()).as(what).isEqualTo(b.shape());
    assertThat(CTX.eval(a).toDoubleArray())
        .as(what)
        .usingComparatorWithPrecision(1e-9)
        .containsExactly(CTX.eval(b).toDoubleArray());
  }

  @Test
  void kernelCountsDoNotGrow() {
    for (Function<Expr<F64>, Expr<F64>> f :
        List.<Function<Expr<F64>, Expr<F64>>>of(
            x -> exp(x).times(x), x -> softmax(x, 0), x -> dot(x, x.unsqueeze(1)))) {
      assertThat(kernels(f, 5)).isEqualTo(kernels(f, 11));
    }
    Tensor<F64> x = CTX.eval(normal(F64, 1, 5));
    assertThat(CTX.explain(jacobian(exp(x).times(x), x)).kernelCount()).isEqualTo(1);
  }

  private static int kernels(Function<Expr<F64>, Expr<F64>> f, long n) {
    Tensor<F64> x = CTX.eval(normal(F64, 1, n));
    Expr<F64> y = f.apply(x);
    return CTX.explain(jacobian(y, x)).kernelCount() + CTX.explain(hessian(y, x)).kernelCount();
  }

  /** The gradient of a Jacobian goes on, as a penalty of its norm needs. */
  @Test
  void jacobiansHaveGradients() {
    Tensor<F64> x = CTX.eval(normal(F64, 1, 3));
    Expr<F64> norm = sum(square(jacobian(tanh(dot(weights().t(), x)), x)));
    columns(
        "penalty",
        gradient(norm, x),
        v -> sum(square(jacobian(tanh(dot(weights().t(), v)), v))),
        x);
  }

  @Test
  void emptyResultsAndInputs() {
    Tensor<F64> x = CTX.eval(normal(F64, 1, 3));
    Expr<F64> none = jacobian(x.slice(range(0, 0)), x);
    assertThat(CTX.eval(none).shape()).isEqualTo(Shape.of(0, 3));
    Tensor<F64> empty = CTX.zeros(F64, 0);
    assertThat(CTX.eval(jacobian(sum(empty), empty)).shape()).isEqualTo(Shape.of(0));
    Tensor<F32> narrow = CTX.ones(F32, 2);
    assertThat(CTX.eval(jacobian(square(narrow.cast(F64)), narrow)).toFloatArray())
        .containsExactly(2, 0, 0, 2);
  }

  @Test
  void messages() {
    Tensor<F64> x = CTX.ones(F64, 3);
    Tensor<F64> w = CTX.ones(F64, 2);
    refused(
        "[hvp] y must have one element; got y f64[3]; sum it first, or use hessian(y, x) for the"
            + " Hessian of each element.",
        () -> hvp(exp(x), x, x));
    refused(
        "[hvp] the vector must have the shape of x; got x f64[3], v f64[2]; expand or reshape v.",
        () -> hvp(sum(x), x, w));
    refused(
        "[jvp] the vector must have the shape of x; got x f64[3], v f64[2]; expand or reshape v.",
        () -> jvp(exp(x), x, w));
    refused(
        "[gradient] y must be computed from the same object that is passed as the input; got y"
            + " f64[3], which never reads the f64[2]; keep the input of y in a Java variable and"
            + " pass that, or use gradientOrZero if zeros are intended.",
        () -> jacobian(exp(x), w));
  }

  private static void refused(String message, Runnable body) {
    assertThatThrownBy(body::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
