package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Assignment;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Fft;
import ristretto.expr.Gradients;
import ristretto.expr.LExpr;
import ristretto.expr.Ops;
import ristretto.expr.RExpr;
import ristretto.expr.Tensor;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.LValue;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Vectorized functions beside loops over the elements, with gradients, in F64. */
class VmapTest {
  private static final Context CTX = GradientTest.CTX;

  private static Tensor<F64> random(long seed, double low, double high, long... dims) {
    return CTX.eval(uniform(F64, seed, dims).times(high - low).plus(low));
  }

  private static long[] prefixed(long n, long... dims) {
    long[] all = new long[dims.length + 1];
    all[0] = n;
    System.arraycopy(dims, 0, all, 1, dims.length);
    return all;
  }

  static Stream<GradientTest.Case> cases() {
    return TestDevice.portion(1).of(GradientTest.cases().toList(), 12).stream();
  }

  /** All differentiable operations, mapped over the first input, the second, and both. */
  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithALoop(GradientTest.Case c) {
    int inputs = Math.min(2, c.shapes().length);
    for (int mapped = 1; mapped < 1 << inputs; mapped++) {
      agreesWithALoop(c, mapped, 3);
      assertThat(kernels(c, mapped, 5)).isEqualTo(kernels(c, mapped, 7));
    }
    agreesWithALoop(c, (1 << inputs) - 1, 1);
  }

  /** Inputs with an axis of n in front for each bit of {@code mapped}. */
  private static List<Tensor<F64>> inputs(GradientTest.Case c, int mapped, int n) {
    var all = new ArrayList<Tensor<F64>>();
    for (int k = 0; k < c.shapes().length; k++) {
      long[] dims = c.shapes()[k];
      boolean has = (mapped >> k & 1) == 1;
      all.add(random(10 + k, c.low(), c.high(), has ? prefixed(n, dims) : dims));
    }
    return all;
  }

  private static Expr<F64> vectorized(
      GradientTest.Case c, int mapped, List<? extends Expr<F64>> x) {
    BiFunction<Expr<F64>, Expr<F64>, Expr<F64>> with =
        (first, second) -> {
          var all = new ArrayList<Expr<F64>>(x);
          if (first != null) {
            all.set(0, first);
          }
          if (second != null) {
            all.set(1, second);
          }
          return c.f().apply(all);
        };
    return switch (mapped) {
      case 1 -> vmap(a -> with.apply(a, null), x.get(0));
      case 2 -> vmap(b -> with.apply(null, b), x.get(1));
      default -> vmap(with, x.get(0), x.get(1));
    };
  }

  private static int kernels(GradientTest.Case c, int mapped, int n) {
    return CTX.explain(vectorized(c, mapped, inputs(c, mapped, n))).kernelCount();
  }

  private static void agreesWithALoop(GradientTest.Case c, int mapped, int n) {
    List<Tensor<F64>> x = inputs(c, mapped, n);
    Expr<F64> y = vectorized(c, mapped, x);
    var parts = new ArrayList<Expr<F64>>();
    for (int i = 0; i < n; i++) {
      var element = new ArrayList<Expr<F64>>();
      for (int k = 0; k < x.size(); k++) {
        element.add((mapped >> k & 1) == 1 ? x.get(k).slice(at(i)) : x.get(k));
      }
      parts.add(c.f().apply(element));
    }
    Expr<F64> loop = stack(0, parts);
    assertThat(y.shape()).isEqualTo(loop.shape());
    String what = c.name() + " mapped over " + mapped;
    same(what, y, loop);
    Tensor<F64> weight = CTX.eval(uniform(F64, 5, y.shape().toArray()).minus(0.4));
    List<Expr<?>> gradients = Gradients.ofOrZero(y, weight, x);
    List<Expr<?>> expected = Gradients.ofOrZero(loop, weight, x);
    for (int k = 0; k < x.size(); k++) {
      same(what + ", gradient " + k, gradients.get(k), expected.get(k));
    }
  }

  @SuppressWarnings("unchecked")
  private static void same(String what, Expr<?> a, Expr<?> b) {
    double[] actual = CTX.eval((Expr<F64>) a).toDoubleArray();
    double[] expected = CTX.eval((Expr<F64>) b).toDoubleArray();
    assertThat(actual).as(what).hasSameSizeAs(expected);
    for (int k = 0; k < actual.length; k++) {
      double tolerance = 1e-9 * (1 + Math.abs(expected[k]));
      assertThat(actual[k]).as(what + " at " + k).isCloseTo(expected[k], within(tolerance));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void gradientsWithinTheFunction(GradientTest.Case c) {
    Tensor<F64> x = random(3, c.low(), c.high(), prefixed(3, c.shapes()[0]));
    List<Tensor<F64>> others = inputs(c, 0, 0);
    BiFunction<Expr<F64>, Expr<F64>, Expr<F64>> slope =
        (a, _) -> {
          var all = new ArrayList<Expr<F64>>(others);
          all.set(0, a);
          return gradientOrZero(c.f().apply(all), a);
        };
    var parts = new ArrayList<Expr<F64>>();
    for (int i = 0; i < 3; i++) {
      parts.add(slope.apply(x.slice(at(i)), null));
    }
    same(c.name(), vmap(a -> slope.apply(a, null), x), stack(0, parts));
  }

  @Test
  void elementWiseFunctionsAreOneKernel() {
    Tensor<F64> a = random(1, -1, 1, 7, 5);
    Tensor<F64> b = random(2, -1, 1, 5);
    Expr<F64> y = vmap(v -> exp(v.times(b)).plus(sum(v.times(b))), a);
    assertThat(CTX.explain(y).kernelCount()).isEqualTo(1);
    Expr<F64> softmax = vmap(v -> softmax(v, 0), a);
    assertThat(CTX.explain(softmax).kernelCount()).isEqualTo(1);
    Tensor<F64> w = random(3, -1, 1, 4, 5);
    Expr<F64> layer = vmap(v -> tanh(dot(w, v)), a);
    assertThat(CTX.explain(layer).kernelCount()).isLessThanOrEqualTo(2);
    same("layer", layer, tanh(dot(a, w.t())));
  }

  @Test
  void anyExtentsAndAxes() {
    for (long n : new long[] {0, 1, 2, 3, 7, 8, 9, 17}) {
      Tensor<F64> a = random(1, -1, 1, n, 3);
      same("rows " + n, vmap(v -> v.times(v).flip(), a), a.times(a).flip(1));
      same("columns " + n, vmap(v -> cumSum(v, 0), a, -1), cumSum(a.t(), 1));
    }
    Tensor<F64> a = random(1, -1, 1, 5, 4, 3);
    Tensor<F64> b = random(2, -1, 1, 3, 5);
    same(
        "two axes",
        vmap((u, v) -> dot(v.reshape(1, 3), u.t()), a, 0, b, 1),
        stack(0, List.of(0, 1, 2, 3, 4).stream().map(i -> product(a, b, i)).toList()));
    Expr<F64> flipped = vmap(v -> v.slice(from(0, 2)), a.flip(0).permute(0, 2, 1), 0);
    same("strided", flipped, a.flip(0).permute(0, 2, 1).slice(all(), from(0, 2)));
    same(
        "repeated",
        vmap(v -> v.plus(1), b.slice(at(0)).expand(4, 5)),
        b.slice(at(0)).expand(4, 5).plus(1));
  }

  private static Expr<F64> product(Tensor<F64> a, Tensor<F64> b, int i) {
    return dot(b.slice(all(), at(i)).reshape(1, 3), a.slice(at(i)).t());
  }

  @Test
  void nestedMapsAndConstants() {
    Tensor<F64> a = random(1, -1, 1, 4, 3);
    Tensor<F64> b = random(2, -1, 1, 5, 3);
    Expr<F64> distances = vmap(u -> vmap(v -> sum(square(u.minus(v))), b), a);
    same("distances", distances, sum(square(a.unsqueeze(1).minus(b.unsqueeze(0))), 2));
    assertThat(CTX.explain(distances).kernelCount()).isEqualTo(1);
    same("independent", vmap(_ -> b, a), b.expand(4, 5, 3));
    assertThat(CTX.eval(Ops.<F64, I64>vmap(v -> argMax(v, 0), a)).toLongArray())
        .isEqualTo(CTX.eval(argMax(a, 1)).toLongArray());
    Expr<F32> cast = vmap(v -> v.cast(F32), a);
    assertThat(cast.dtype()).isEqualTo((Object) F32);
  }

  /** Positions, gathers and scatters whose operands differ by element. */
  @Test
  void indicesThatDifferByElement() {
    Tensor<F64> a = random(1, -1, 1, 3, 4, 2);
    Tensor<I32> at = CTX.tensor(new int[] {3, 0, 1, 1, -1, 2}, 3, 2);
    Expr<F64> source = a.slice(at(1));
    same(
        "indices",
        vmap(i -> take(source, i, 0), at),
        stack(0, List.of(0, 1, 2).stream().map(k -> take(source, at.slice(at(k)), 0)).toList()));
    same(
        "indices of axis 1",
        vmap(i -> take(source.t(), i, 1), at),
        stack(
            0, List.of(0, 1, 2).stream().map(k -> take(source.t(), at.slice(at(k)), 1)).toList()));
    Expr<F64> both = vmap((u, i) -> take(u, i, 0), a, at);
    same(
        "both",
        both,
        stack(
            0,
            List.of(0, 1, 2).stream().map(k -> take(a.slice(at(k)), at.slice(at(k)), 0)).toList()));
    Expr<F64> scattered =
        vmap((u, i) -> scatterAdd(Shape.of(5, 2), 0, i, u.slice(range(0, 2))), a, abs(at));
    same(
        "scattered",
        scattered,
        stack(
            0,
            List.of(0, 1, 2).stream()
                .map(k ->
                    scatterAdd(
                        Shape.of(5, 2), 0, abs(at).slice(at(k)), a.slice(at(k), range(0, 2))))
                .toList()));
    Tensor<I32> beyond = CTX.tensor(new int[] {3, 0, 1, 1, 4, 2}, 3, 2);
    assertThatThrownBy(() -> CTX.eval(vmap((u, i) -> take(u, i, 0), a, beyond)))
        .isInstanceOf(ShapeException.class);
    same(
        "pad with a fill that differs",
        vmap(u -> padWith(u.slice(from(1)), u.slice(at(0)), 1, 2), a.slice(all(), all(), at(0))),
        stack(
            0,
            List.of(0, 1, 2).stream()
                .map(k ->
                    padWith(a.slice(at(k), from(1), at(0)), a.slice(at(k), at(0), at(0)), 1, 2))
                .toList()));
  }

  private static <T> Expr<T> padWith(Expr<T> a, Expr<T> fill, long... amounts) {
    Expr<T> inside = pad(fill(BOOL, 1, a.shape().toArray()).cast(a.dtype()), amounts);
    return where(inside.eq(1), pad(a, amounts), fill);
  }

  @Test
  void convolutionsOfImagesAreOne() {
    Tensor<F32> x = CTX.eval(normal(F32, 1, 3, 2, 2, 6, 5));
    Tensor<F32> w = CTX.eval(normal(F32, 2, 4, 2, 3, 3));
    Expr<F32> y = vmap(u -> tanh(convolve(u, w)), x);
    assertThat(CTX.explain(y).kernelCount())
        .isEqualTo(CTX.explain(tanh(convolve(x.slice(at(0)), w))).kernelCount());
    close(
        y,
        stack(0, List.of(0, 1, 2).stream().map(k -> tanh(convolve(x.slice(at(k)), w))).toList()));
    Tensor<F32> many = CTX.eval(normal(F32, 3, 3, 4, 2, 3, 3));
    close(
        vmap(v -> convolve(x.slice(at(0)), v), many),
        stack(
            0,
            List.of(0, 1, 2).stream()
                .map(k -> convolve(x.slice(at(0)), many.slice(at(k))))
                .toList()));
    Expr<F32> slopes = vmap(u -> gradient(square(convolve(u, w)), w), x);
    close(
        slopes,
        stack(
            0,
            List.of(0, 1, 2).stream()
                .map(k -> gradient(square(convolve(x.slice(at(k)), w)), w))
                .toList()));
  }

  private static Expr<F32> convolve(Expr<F32> images, Expr<F32> filters) {
    return convolution(images, filters, new long[] {1, 2}, new long[] {1, 1}, new long[] {1, 0}, 1);
  }

  private static void close(Expr<F32> a, Expr<F32> b) {
    assertThat(a.shape()).isEqualTo(b.shape());
    assertThat(CTX.eval(a).toFloatArray())
        .usingComparatorWithPrecision(1e-4f)
        .containsExactly(CTX.eval(b).toFloatArray());
  }

  /** Reads its input at another position, and counts its calls of {@code execute}. */
  private static final class Reversed extends LExpr<F64> {
    Reversed(Expr<F64> a) {
      super(a.dtype(), a.shape(), a);
    }

    @Override
    protected void execute(Assignment assignment, LValue<F64> target) {
      assignment.assign(target, input().flip(0));
    }

    @SuppressWarnings("unchecked")
    private Expr<F64> input() {
      return (Expr<F64>) inputs().get(0);
    }

    @Override
    protected List<Expr<?>> gradients(Expr<F64> dy) {
      return List.of(dy.flip(0));
    }
  }

  /** Twice the input, with a gradient that is no derivative. */
  private static final class Twice extends RExpr<F64> {
    Twice(Expr<F64> a) {
      super(a.dtype(), a.shape(), a);
    }

    @Override
    protected Scalar read(Reads in) {
      return in.input(0).times(2);
    }

    @Override
    protected List<Expr<?>> gradients(Expr<F64> dy) {
      return List.of(dy.times(7));
    }
  }

  @Test
  void operatorsOfUsers() {
    Tensor<F64> a = random(1, -1, 1, 3, 4);
    Expr<F64> reversed = vmap(Reversed::new, a);
    same("once per element", reversed, a.flip(1));
    same("its gradient", gradient(reversed.times(a), a), a.flip(1).times(2));
    same("none", vmap(Reversed::new, random(1, 0, 1, 0, 4)), random(1, 0, 1, 0, 4));
    Expr<F64> twice = vmap(Twice::new, a);
    assertThat(CTX.explain(twice).kernelCount()).isEqualTo(1);
    same("its own gradient", gradient(twice, a), fill(F64, 7, 3, 4));
  }

  @Test
  void randomNumbers() {
    Tensor<F64> a = random(1, -1, 1, 3, 4);
    same("shared", vmap(v -> v.plus(uniform(F64, 7, 4)), a), a.plus(uniform(F64, 7, 4)));
    Tensor<I64> seeds = CTX.tensor(new long[] {3, 4, 5}, 3);
    same(
        "seeds",
        vmap(s -> uniform(F64, s, 4), seeds),
        stack(0, uniform(F64, 3, 4), uniform(F64, 4, 4), uniform(F64, 5, 4)));
  }

  @Test
  void barriers() {
    Tensor<F64> a = random(1, -1, 1, 3, 8);
    same("median", vmap(v -> median(v), a), median(a, 1));
    Tensor<I64> at = CTX.tensor(new long[] {0, 2, 2, 1, 0, 1, 2, 2});
    Function<Expr<F64>, Expr<F64>> largest = v -> scatterMax(Shape.of(3), 0, at, v);
    same("scatterMax", vmap(largest, a), slices(a, largest));
    Function<Expr<F64>, Expr<F64>> filter = v -> scan(v.slice(at(0)), v, (s, x) -> 0.5 * s + x);
    same("scan", vmap(filter, a), slices(a, filter));
    Function<Expr<F64>, Expr<F64>> two =
        v -> {
          Expr<F64> start = v.slice(at(0));
          return scan(start, start, v, (s, t, x) -> 0.5 * s + x, (s, t, x) -> t - s * x).get(1);
        };
    same("scan of two states", vmap(two, a), slices(a, two));
    Function<Expr<F64>, Expr<F64>> squares =
        v -> cumulative(v.reshape(4, 2), 0.0, (s, x) -> s + x, 0);
    same("cumulative", vmap(squares, a), slices(a, squares));
    same("rfft", vmap(v -> Fft.rfft(v).im(), a), Fft.rfft(a).im());
    Function<Expr<F64>, Expr<F64>> power = v -> sum(square(Fft.fft(v.reshape(2, 4)).re()), 1);
    same("fft", vmap(power, a), slices(a, power));
  }

  private static Expr<F64> slices(Tensor<F64> a, Function<Expr<F64>, Expr<F64>> f) {
    return stack(0, f.apply(a.slice(at(0))), f.apply(a.slice(at(1))), f.apply(a.slice(at(2))));
  }

  @Test
  void messages() {
    Tensor<F64> a = random(1, -1, 1, 3, 4);
    Tensor<F64> b = random(1, -1, 1, 4, 3);
    refused(
        "[vmap] the argument of f has no values while f is traced; got an evaluation of the"
            + " argument f64[4]; build expressions of the argument only, and evaluate the result"
            + " of vmap.",
        () -> vmap(v -> CTX.eval(v), a));
    refused(
        "[vmap] mapped axes must have equal extents; got a f64[3,4], b f64[4,3] with the mapped"
            + " axis first; slice one of them, or use it inside of f without mapping it.",
        () -> vmap(Expr::plus, a, b));
    refused(
        "[vmap] operands must have an axis to map over; got f64[]; use it inside of f without"
            + " mapping it.",
        () -> vmap(v -> v, a.slice(at(0), at(0))));
    refused("[vmap] f must return an expression; got null.", () -> vmap(_ -> null, a));
    refused(
        "[eval] an expression must contain a tensor, whose context evaluates it; got f64[4] without"
            + " one; use ctx.eval(e), as in ctx.eval(e).toFloatArray().",
        () -> vmap(v -> v.times(2).eval(), a));
  }

  private static void refused(String message, Runnable body) {
    assertThatThrownBy(body::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
