package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Operations refused for an index out of range leave all targets unchanged. */
class RefusedTest {
  private static final int N = 5;

  private final Context ctx = TestDevice.open();
  private final Tensor<F32> x = ctx.eval(uniform(F32, 1, N, N));
  private final Tensor<I32> bad = ctx.tensor(new int[] {0, 1, 9, 2, 3}, N);

  @AfterEach
  void close() {
    ctx.close();
  }

  /** Expressions of x[N, N] that read at indices. */
  private record Case(String name, Function<RefusedTest, Expr<F32>> of) {
    @Override
    public String toString() {
      return name;
    }
  }

  private Expr<I32> computed() {
    return cumSum(bad.plus(1), 0).minus(1);
  }

  private Expr<I32> computedByElements() {
    return bad.plus(1).minus(1);
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case("take", t -> take(t.x, t.bad, 0)),
        new Case("take by computed", t -> take(t.x, t.computed(), 0)),
        new Case("takeAlongAxis", t -> takeAlongAxis(t.x, t.bad.expand(N, N), 0)),
        new Case("scatterAdd", t -> scatterAdd(Shape.of(N, N), 0, t.bad, t.x)),
        new Case("scatterAdd by computed", t -> scatterAdd(Shape.of(N, N), 0, t.computed(), t.x)),
        new Case(
            "scatterAdd of gathered",
            t -> scatterAdd(Shape.of(N, N), 0, arange(t), take(t.x, t.computedByElements(), 0))),
        new Case("scatterAdd and sum", t -> scatterAdd(Shape.of(N, N), 0, t.bad, t.x).plus(t.x)),
        new Case("product and take", t -> dot(t.x, t.x).plus(take(t.x, t.bad, 0))),
        new Case("product and computed", t -> dot(t.x, t.x).plus(take(t.x, t.computed(), 0))),
        new Case("take and product", t -> dot(take(t.x, t.computed(), 0), t.x)),
        new Case("softmax", t -> softmax(take(t.x, t.computedByElements(), 0), 1)),
        new Case("sort", t -> sort(take(t.x, t.computed(), 0), 0)),
        new Case("cumSum", t -> cumSum(take(t.x, t.bad, 0), 0).plus(dot(t.x, t.x))),
        new Case("concat", t -> concat(0, parts(t, t.bad))),
        new Case("concat by computed", t -> concat(0, parts(t, t.computed()))),
        new Case(
            "gradient of slices",
            t ->
                gradient(
                    sum(t.x.slice(from(0, 2)).times(take(t.x, t.computed(), 0).slice(from(2)))),
                    t.x)));
  }

  private static Expr<I32> arange(RefusedTest t) {
    return t.ctx.arange(I32, N);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Expr<F32>[] parts(RefusedTest t, Expr<I32> index) {
    Expr<F32>[] parts = new Expr[N];
    for (int k = 0; k < N; k++) {
      parts[k] = k == 3 ? take(t.x, index, 0).slice(range(2, 3)) : t.x.slice(range(k, k + 1));
    }
    return parts;
  }

  private void isRefused(Tensor<F32> target, Runnable work) {
    float[] before = target.toFloatArray();
    assertThatThrownBy(work::run)
        .isInstanceOf(ShapeException.class)
        .hasMessageContaining("indices must lie in");
    assertThat(target.toFloatArray()).containsExactly(before);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void assignments(Case c) {
    Tensor<F32> y = ctx.full(F32, 7, N, N);
    isRefused(y, () -> ctx.assign(y, c.of.apply(this)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void additions(Case c) {
    Tensor<F32> y = ctx.full(F32, 7, N, N);
    isRefused(y, () -> ctx.assignAdd(y, c.of.apply(this)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void assignmentsToWhatIsRead(Case c) {
    isRefused(x, () -> ctx.assign(x, c.of.apply(this)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void assignmentsToViews(Case c) {
    Tensor<F32> all = ctx.full(F32, 7, N, 2 * N);
    isRefused(
        all, () -> ctx.assign(all.slice(all(), range(0, 2 * N, 2)), c.of.apply(this).times(2)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void assignmentsOfSeveral(Case c) {
    Tensor<F32> y = ctx.full(F32, 7, N, N);
    Tensor<F32> z = ctx.full(F32, 8, N, N);
    isRefused(
        y,
        () ->
            isRefusedToo(
                z, () -> ctx.assignAll(Pair.of(z, x.plus(1)), Pair.of(y, c.of.apply(this)))));
  }

  private void isRefusedToo(Tensor<F32> other, Runnable work) {
    float[] before = other.toFloatArray();
    try {
      work.run();
    } finally {
      assertThat(other.toFloatArray()).containsExactly(before);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void programs(Case c) {
    Tensor<F32> y = ctx.full(F32, 7, N, N);
    Program p = ctx.recordOnly(() -> ctx.assign(y, c.of.apply(this)));
    for (int run = 0; run < 3; run++) {
      isRefused(y, p::run);
    }
    ctx.assign(bad, 0);
    p.run();
    assertThat(y.toFloatArray()).isNotEqualTo(ctx.full(F32, 7, N, N).toFloatArray());
  }
}
