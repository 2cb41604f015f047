package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;

/** Products and their surroundings on a device that makes one kernel of them. */
class FuseProductsTest {
  private static final Context CPU = Context.open("cpu");
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    CPU.close();
    ORACLE.close();
  }

  /** The operands, made in both contexts. */
  private record Operands(
      Tensor<F32> x, Tensor<F32> w, Tensor<F32> bias, Tensor<F32> more, Tensor<I32> rows) {
    Operands(Context ctx) {
      this(
          numbers(ctx, 6, 5),
          numbers(ctx, 5, 7),
          numbers(ctx, 7),
          numbers(ctx, 6, 7),
          ctx.tensor(new int[] {3, -1, 0, 3, 2, 5}));
    }

    private static Tensor<F32> numbers(Context ctx, long... shape) {
      Tensor<F32> count = ctx.arange(F32, Shape.of(shape).size());
      return ctx.eval(map(count, v -> v * 7 % 5 - 2).reshape(shape));
    }
  }

  private static Plan check(int kernels, Function<Operands, Expr<F32>> expr) {
    var on = new Operands(ORACLE);
    Expr<F32> ours = expr.apply(on);
    Plan plan = ORACLE.explain(ours);
    assertThat(plan.kernelCount()).as(plan::toString).isEqualTo(kernels);
    long launches = ORACLE.stats().launches();
    Tensor<F32> result = ORACLE.eval(ours);
    assertThat(ORACLE.stats().launches() - launches).isEqualTo(kernels);
    assertThat(result.toFloatArray())
        .containsExactly(CPU.eval(expr.apply(new Operands(CPU))).toFloatArray());
    return plan;
  }

  @Test
  void whatFollowsAProductIsPartOfIt() {
    Plan plan = check(1, o -> relu(dot(o.x, o.w).plus(o.bias)));
    assertThat(plan.temporaryCount()).isZero();
    assertThat(plan.kernels().get(0)).startsWith("gemm_").contains("fused");
    check(1, o -> dot(o.x, o.w).plus(o.more).times(2f).minus(o.bias));
    check(1, o -> where(dot(o.x, o.w).gt(o.more), o.more, o.bias));
    check(
        1,
        o -> {
          Expr<F32> product = dot(o.x, o.w);
          return product.times(product);
        });
    check(2, o -> dot(o.x, o.w).times(dot(o.x, o.w)));
  }

  @Test
  void whatMakesAnOperandIsPartOfItWhereItIsCheap() {
    Plan plan = check(1, o -> dot(relu(o.x), o.w));
    assertThat(plan.temporaryCount()).isZero();
    assertThat(plan.toString())
        .contains("temp0 stays in registers: this device computes it inside the product's kernel");
    check(1, o -> dot(o.x.plus(1), o.w.neg()).plus(o.bias));
    check(1, o -> dot(take(o.x, o.rows, 0), o.w));
    check(1, o -> dot(relu(o.x).t().t(), o.w));
    check(1, o -> dot(relu(o.w).t(), o.x.t()).t());
    check(1, o -> dot(o.x.flip(1), o.w));
    check(1, o -> dot(o.x.slice(all(), range(0, 5, 2)), o.w.slice(range(0, 3))));
    check(2, o -> dot(sqrt(o.x.times(o.x)), o.w));
    check(2, o -> dot(uniform(F32, 7, 6, 5).minus(uniform(F32, 7, 6, 5)), o.w));
  }

  @Test
  void vectorsAndSingleRowsFuseToo() {
    check(1, o -> relu(dot(o.x.slice(range(0, 1)), o.w)).plus(o.bias));
    check(1, o -> dot(o.x.slice(range(0, 1)).neg(), o.w.slice(all(), range(2, 3))).plus(1));
    check(1, o -> dot(o.x.slice(at(1)), o.w).plus(o.bias));
    check(1, o -> dot(o.x, o.w.slice(all(), at(2))).neg());
  }

  @Test
  void batchesRepeatWhatIsMadeOnce() {
    check(1, o -> dot(relu(o.x), stackOf(o.w)).plus(o.bias));
    check(1, o -> dot(relu(stackOf(o.x)), stackOf(o.w).neg()));
  }

  private static Expr<F32> stackOf(Tensor<F32> t) {
    return t.expand(3, t.shape().at(0), t.shape().at(1));
  }

  @Test
  void aProductThatIsReadTwiceIsStoredOnce() {
    check(
        2,
        o -> {
          Expr<F32> product = dot(o.x, o.w);
          return product.plus(sum(product, 1).keepDims());
        });
  }

  @Test
  void anOperandThatIsReadElsewhereStaysInMemory() {
    check(
        2,
        o -> {
          Expr<F32> y = relu(o.x);
          return dot(y, y.t());
        });
  }

  @Test
  void anOperandThatTheOtherOperandReadsStaysInMemory() {
    check(
        2,
        o -> {
          Expr<F32> y = o.x.plus(o.x);
          return dot(take(y, o.rows, 0).t(), y);
        });
    check(
        2,
        o -> {
          Expr<F32> y = o.x.plus(o.x);
          return dot(y, take(y, o.rows, 0).t());
        });
  }

  @Test
  void anOperandThatTheEpilogueReadsStaysInMemory() {
    check(
        2,
        o -> {
          Expr<F32> y = relu(o.x);
          return dot(y, o.w.slice(all(), range(0, 5))).plus(y);
        });
    check(
        3,
        o -> {
          Expr<F32> y = o.w.slice(all(), range(0, 5)).neg();
          return dot(o.x, y).plus(take(y, o.rows.minus(1), 0));
        });
  }

  @Test
  void aTargetThatIsAnOperandIsWrittenLater() {
    for (Context ctx : new Context[] {ORACLE, CPU}) {
      Tensor<F32> x = ctx.eval(ctx.arange(F32, 9).reshape(3, 3));
      ctx.assign(x, relu(dot(x, x).minus(20)));
      assertThat(x.toFloatArray()).containsExactly(0, 0, 1, 22, 34, 46, 49, 70, 91);
    }
  }

  @Test
  void aTargetIsAddedTo() {
    for (Context ctx : new Context[] {ORACLE, CPU}) {
      Tensor<F32> x = ctx.eval(ctx.arange(F32, 4).reshape(2, 2));
      Tensor<F32> y = ctx.ones(F32, 2, 2);
      Program p =
          ctx.record(() -> {
            ctx.assignAdd(y, dot(x, x));
            ctx.assign(y, relu(y.minus(3)));
          });
      p.run();
      assertThat(y.toFloatArray()).containsExactly(0, 1, 7, 17);
    }
  }

  @Test
  void programsFuseAcrossAssignments() {
    Tensor<F32> x = ORACLE.eval(ORACLE.arange(F32, 6).reshape(2, 3));
    Tensor<F32> y = ORACLE.empty(F32, 2, 2);
    Tensor<F32> kept = ORACLE.empty(F32, 2, 2);
    Program p =
        ORACLE.record(() -> {
          Tensor<F32> product = ORACLE.eval(dot(x, x.t()));
          ORACLE.assign(y, product.minus(10));
          ORACLE.assign(kept, dot(x, x.t()));
          ORACLE.assign(y, y.plus(kept));
        });
    assertThat(p.kernelCount()).isEqualTo(2);
    p.run();
    assertThat(y.toFloatArray()).containsExactly(0, 18, 18, 90);
    assertThat(kept.toFloatArray()).containsExactly(5, 14, 14, 50);
  }
}
