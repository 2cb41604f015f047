package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.cumSum;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.relu;
import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;

import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;

/** Kernel counts of column sums beside other assignments. */
class FuseColumnSumsTest {
  private final Context ctx = Context.open("cpu");
  private final Tensor<F32> x = ctx.ones(F32, 40, 32);
  private final Tensor<F32> y = ctx.ones(F32, 40, 32);
  private final Tensor<F32> a = ctx.ones(F32, 32);
  private final Tensor<F32> b = ctx.ones(F32, 32);

  @AfterEach
  void close() {
    ctx.close();
  }

  private Plan plan(Runnable body) {
    return ctx.recordOnly(body).explain();
  }

  private void expect(int kernels, Runnable body) {
    Plan plan = plan(body);
    assertThat(plan.kernelCount()).as(plan::toString).isEqualTo(kernels);
  }

  @Test
  void sumsAreMadeByTheKernelThatWrites() {
    expect(
        2,
        () -> {
          ctx.assign(y, relu(x));
          ctx.eval(dot(y, y.t()));
          ctx.assign(a, sum(y, 0));
          ctx.assign(b, sum(square(y), 0));
        });
  }

  @Test
  void sumsOfTheSameAreMadeTogether() {
    expect(
        1,
        () -> {
          ctx.assign(a, sum(x, 0));
          ctx.assign(b, sum(square(x), 0));
        });
  }

  @Test
  void whatNeedsSumsIsMadeWithThem() {
    expect(
        1,
        () -> {
          ctx.assign(a, sum(x, 0));
          ctx.assign(y, x.times(40).minus(a));
          ctx.assign(b, sum(y, 0));
        });
  }

  @Test
  void muchWorkForEachColumnIsNotRepeatedForEachElement() {
    expect(
        2,
        () -> {
          ctx.assign(a, sqrt(sum(x, 0)));
          ctx.assign(y, x.div(a));
        });
  }

  @Test
  void whatIsWrittenOverIsNotReadAgain() {
    expect(
        1,
        () -> {
          ctx.assign(a, sum(x, 0));
          ctx.assign(x, x.times(40).minus(a));
        });
    expect(
        3,
        () -> {
          Tensor<F32> before = ctx.eval(x.times(40));
          ctx.assign(x, x.plus(1));
          ctx.assign(a, sum(x, 0));
          ctx.assign(y, before.minus(a));
          ctx.eval(dot(before, x.t()));
        });
  }

  @Test
  void elementsAreWrittenWhereTheyWereReadBefore() {
    Program program =
        ctx.recordOnly(() -> {
          Tensor<F32> made = ctx.eval(cumSum(x, 0));
          Tensor<F32> sums = ctx.eval(sum(made, 0));
          Tensor<F32> changed = ctx.eval(made.times(40).minus(sums));
          ctx.assign(a, sum(changed, 0));
          ctx.assign(y, cumSum(changed, 0));
        });
    assertThat(program.kernelCount()).as(program.explain()::toString).isEqualTo(3);
    program.run();
    assertThat(a.toFloatArray()).containsOnly(0);
    // Once, and the sums; y lies elsewhere.
    assertThat(program.temporaryBytes()).isLessThan(2 * 40 * 32 * 4);
  }

  @Test
  void sumsStayBehindWhatWritesTheirOperands() {
    expect(
        4,
        () -> {
          ctx.assign(y, x.plus(1));
          ctx.assign(y.slice(range(0, 20)), cumSum(y.slice(range(0, 20)), 0));
          ctx.assign(a, sum(y, 0));
        });
  }

  @Test
  void sumsStayBehindReadersOfTheirTargets() {
    expect(
        3,
        () -> {
          ctx.assign(y, x.plus(1));
          ctx.eval(cumSum(a, 0));
          ctx.assign(a, sum(y, 0));
        });
  }

  @Test
  void sumsOfRowsAndOfFewColumnsAreKernelsOfTheirOwn() {
    Tensor<F32> rows = ctx.ones(F32, 40);
    expect(
        2,
        () -> {
          ctx.assign(y, x.plus(1));
          ctx.assign(rows, sum(y, 1));
        });
    Tensor<F32> narrow = ctx.ones(F32, 40, 15);
    Tensor<F32> few = ctx.ones(F32, 15);
    expect(
        2,
        () -> {
          ctx.assign(narrow, narrow.plus(1));
          ctx.assign(few, sum(narrow, 0));
        });
  }

  @Test
  void itCanBeLeftOut() {
    ctx.without(Set.of(Optimization.JOIN_SUMS));
    expect(
        3,
        () -> {
          ctx.assign(y, relu(x));
          ctx.assign(a, sum(y, 0));
          ctx.assign(b, sum(square(y), 0));
        });
  }
}
