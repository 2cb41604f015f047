package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Tensor;
import ristretto.expr.linalg.Linalg;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;

/**
 * Gradients of linear algebra against differences along a random direction, in F64, and once more
 * for the gradient of the gradient.
 */
class LinalgGradientTest {
  private static final Context CTX = TestDevice.open();
  private static final double H = 1e-5;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private record Case(
      String name, boolean twice, Function<List<Expr<F64>>, Expr<F64>> f, long[]... shapes) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Case> CASES = new ArrayList<>();

  private static long[] s(long... dims) {
    return dims;
  }

  private static void of(String name, Function<List<Expr<F64>>, Expr<F64>> f, long[]... shapes) {
    CASES.add(new Case(name, true, f, shapes));
  }

  /** Function of one matrix; squares, so that the second derivative is not trivial. */
  private static void unary(String name, Function<Expr<F64>, Expr<F64>> f, long... dims) {
    of(name + Shape.of(dims), x -> square(f.apply(x.get(0))), dims);
  }

  private static void once(String name, Function<Expr<F64>, Expr<F64>> f, long... dims) {
    CASES.add(new Case(name + Shape.of(dims), false, x -> square(f.apply(x.get(0))), dims));
  }

  private static Expr<F64> t(Expr<F64> a) {
    return a.swapAxes(-1, -2);
  }

  private static Expr<F64> symmetric(Expr<F64> a) {
    return a.plus(t(a));
  }

  private static Expr<F64> positive(Expr<F64> a) {
    return dot(a, t(a)).plus(identity(a.shape().dim(-1)));
  }

  private static Expr<F64> identity(long n) {
    return coordinate(Shape.of(n, n), 0).eq(coordinate(Shape.of(n, n), 1)).cast(F64);
  }

  /** Weights that break the symmetry of signs and orders. */
  private static Expr<F64> weighted(Expr<F64> a) {
    return a.times(uniform(F64, 99, a.shape().toArray()).plus(0.5));
  }

  static {
    of("solve", x -> square(Linalg.solve(x.get(0), x.get(1))), s(4, 4), s(4, 2));
    of("solve vector", x -> square(Linalg.solve(x.get(0), x.get(1))), s(3, 3), s(3));
    of("solve batch", x -> square(Linalg.solve(x.get(0), x.get(1))), s(2, 1, 3, 3), s(3, 3, 2));
    of("solve together", x -> square(Linalg.solve(x.get(0), x.get(1))), s(3, 3), s(2, 3, 2));
    for (boolean lower : new boolean[] {true, false}) {
      for (boolean transposed : new boolean[] {true, false}) {
        for (boolean unit : new boolean[] {true, false}) {
          of(
              "triangularSolve " + lower + transposed + unit,
              x ->
                  square(
                      Linalg.triangularSolve(
                          x.get(0).plus(identity(3).times(2)), x.get(1), lower, transposed, unit)),
              s(2, 3, 3),
              s(3, 2));
        }
      }
    }
    of("lstsq tall", x -> square(Linalg.lstsq(x.get(0), x.get(1))), s(5, 3), s(5, 2));
    of("lstsq wide", x -> square(Linalg.lstsq(x.get(0), x.get(1))), s(2, 3, 5), s(3));
    unary("inv", Linalg::inv, 4, 4);
    unary("inv", Linalg::inv, 2, 3, 3);
    unary("pinv", Linalg::pinv, 5, 3);
    unary("pinv", Linalg::pinv, 2, 2, 4);
    unary("det", Linalg::det, 3, 3);
    unary("det", Linalg::det, 2, 2, 2);
    unary("det", Linalg::det, 1, 1);
    unary("slogdet", a -> Linalg.slogdet(a).logAbsDet(), 2, 3, 3);
    unary("cholesky", a -> weighted(Linalg.cholesky(positive(a))), 4, 4);
    unary("cholesky", a -> weighted(Linalg.cholesky(positive(a))), 2, 3, 3);
    unary("cholesky", a -> weighted(Linalg.cholesky(positive(a))), 61, 61);
    for (long[] dims : new long[][] {{3, 3}, {5, 3}, {3, 5}, {2, 3, 2}}) {
      unary("lu l", a -> weighted(Linalg.lu(a).l()), dims);
      unary("lu u", a -> weighted(Linalg.lu(a).u()), dims);
      unary("lu p", a -> Linalg.lu(a).p().times(sum(a)), dims);
      unary("qr q", a -> weighted(Linalg.qr(a).q()), dims);
      unary("qr r", a -> weighted(Linalg.qr(a).r()), dims);
      unary("svd u", a -> weighted(Linalg.svd(a).u()), dims);
      unary("svd s", a -> weighted(Linalg.svd(a).s()), dims);
      unary("svd vt", a -> weighted(Linalg.svd(a).vt()), dims);
      unary("svdvals", a -> weighted(Linalg.svdvals(a)), dims);
      unary("full s", a -> weighted(Linalg.svd(a, true).s()), dims);
      once("nuclear norm", a -> Linalg.norm(a, "nuc", -2, -1), dims);
    }
    unary("full q", a -> weighted(Linalg.qr(a, true).q()), 3, 4);
    unary("full u", a -> weighted(Linalg.svd(a, true).u()), 3, 3);
    unary("eigh values", a -> weighted(Linalg.eigh(symmetric(a)).values()), 4, 4);
    unary("eigh vectors", a -> weighted(Linalg.eigh(symmetric(a)).vectors()), 4, 4);
    unary("eigh vectors", a -> weighted(Linalg.eigh(symmetric(a)).vectors()), 2, 3, 3);
    unary("eigvalsh", a -> weighted(Linalg.eigvalsh(symmetric(a))), 2, 3, 3);
    once("eig re", a -> weighted(Linalg.eig(a).values().re()), 5, 5);
    once("eig im", a -> weighted(Linalg.eig(a).values().im()), 5, 5);
    once("eig re", a -> weighted(Linalg.eig(a).values().re()), 2, 4, 4);
    unary("expm", Linalg::expm, 3, 3);
    unary("expm", a -> Linalg.expm(a.times(3)).times(0.1), 2, 3, 3);
    unary("norm", Linalg::norm, 3, 4);
    unary("norm 2", a -> Linalg.norm(a, 2), 3, 4);
    unary("norm 1", a -> Linalg.norm(a, 1), 3, 4);
    unary("norm 3", a -> Linalg.norm(a, 3, 1), 3, 4);
    unary("cond", Linalg::cond, 3, 3);
    unary("matrixPower", a -> Linalg.matrixPower(a, 5), 3, 3);
    unary("matrixPower", a -> Linalg.matrixPower(a, -2), 2, 2, 2);
    of("kron", x -> square(Linalg.kron(x.get(0), x.get(1))), s(2, 3), s(2, 2));
  }

  static Stream<Case> cases() {
    // Other devices take seconds to compile the kernels of a case.
    boolean all = TestDevice.isCpu() || Boolean.getBoolean("ristretto.test.everything");
    return IntStream.range(0, CASES.size()).filter(k -> all || k % 4 == 0).mapToObj(CASES::get);
  }

  private static List<Tensor<F64>> inputs(Case c, long seed) {
    var all = new ArrayList<Tensor<F64>>();
    for (long[] shape : c.shapes) {
      all.add(CTX.eval(uniform(F64, seed + all.size(), shape).minus(0.5).times(2)));
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithDifferences(Case c) {
    List<Tensor<F64>> x = inputs(c, 11);
    check(x, v -> sum(c.f.apply(v)));
    if (c.twice) {
      List<Tensor<F64>> along = inputs(c, 31);
      check(x, v -> slope(sum(c.f.apply(v)), v, along));
    }
  }

  private static Expr<F64> slope(
      Expr<F64> y, List<? extends Expr<F64>> x, List<Tensor<F64>> along) {
    Expr<F64> slope = scalar(F64, 0);
    List<Expr<?>> gradients = Gradients.of(y, x);
    for (int k = 0; k < x.size(); k++) {
      assertThat(gradients.get(k).shape()).isEqualTo(x.get(k).shape());
      slope = slope.plus(sum(asF64(gradients.get(k)).times(along.get(k))));
    }
    return slope;
  }

  @SuppressWarnings("unchecked")
  private static Expr<F64> asF64(Expr<?> e) {
    return (Expr<F64>) e;
  }

  private static void check(List<Tensor<F64>> x, Function<List<Expr<F64>>, Expr<F64>> f) {
    List<Tensor<F64>> along = new ArrayList<>();
    for (Tensor<F64> t : x) {
      along.add(CTX.eval(normal(F64, 71 + along.size(), t.shape().toArray())));
    }
    double slope = CTX.eval(slope(f.apply(List.copyOf(x)), x, along)).item();
    double difference = (at(x, along, f, H) - at(x, along, f, -H)) / (2 * H);
    double far = (at(x, along, f, 2 * H) - at(x, along, f, -2 * H)) / (4 * H);
    // The error of the difference, from differences of two widths.
    double tolerance = 1e-6 * (1 + Math.abs(slope)) + 4 * Math.abs(far - difference);
    assertThat(tolerance).isLessThan(1e-2 * (1 + Math.abs(slope)));
    assertThat(slope).isCloseTo(difference, within(tolerance));
  }

  private static double at(
      List<Tensor<F64>> x,
      List<Tensor<F64>> along,
      Function<List<Expr<F64>>, Expr<F64>> f,
      double step) {
    var moved = new ArrayList<Expr<F64>>();
    for (int k = 0; k < x.size(); k++) {
      moved.add(CTX.eval(x.get(k).plus(along.get(k).times(step))));
    }
    return CTX.eval(f.apply(moved)).item();
  }

  @Test
  void determinantsOfSingularMatrices() {
    Tensor<F64> a = CTX.tensor(new double[] {1, 2, 3, 2, 4, 6, 1, 0, 5}, 3, 3);
    double[] cofactors = {20, -4, -4, -10, 2, 2, 0, 0, 0};
    assertThat(CTX.eval(gradient(Linalg.det(a), a)).toDoubleArray())
        .containsExactly(cofactors, within(1e-13));
    Tensor<F64> zero = CTX.zeros(F64, 2, 2);
    assertThat(CTX.eval(gradient(Linalg.det(zero), zero)).toDoubleArray()).containsOnly(0);
  }

  @Test
  void valuesThatCoincideHaveGradients() {
    Tensor<F64> one = CTX.eval(identity(3));
    double[] expected = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    assertThat(CTX.eval(gradient(sum(Linalg.eigh(one).values()), one)).toDoubleArray())
        .containsExactly(expected, within(1e-14));
    assertThat(CTX.eval(gradient(sum(Linalg.svd(one).s()), one)).toDoubleArray())
        .containsExactly(expected, within(1e-14));
  }
}
