package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.F32;
import ristretto.expr.type.LValue;

/** Barriers that several assignments read are computed once. */
class SharedBarriersTest {
  private final Context ctx = Context.open("cpu");
  private final Tensor<F32> x = ctx.eval(uniform(F32, 1, 6, 6));
  private final Tensor<F32> w = ctx.eval(uniform(F32, 2, 6, 6));
  private final Tensor<F32> a = ctx.zeros(F32, 6, 6);
  private final Tensor<F32> b = ctx.zeros(F32, 6, 6);
  private final Tensor<F32> c = ctx.zeros(F32, 6, 6);

  @AfterEach
  void close() {
    ctx.close();
  }

  /** The numbers of kernels in all and of those of a kind, and what the targets hold then. */
  private void expect(int kernels, String kind, int ofKind, Runnable body) {
    reset();
    body.run();
    List<float[]> wanted = List.of(a.toFloatArray(), b.toFloatArray(), c.toFloatArray());
    for (Program p : List.of(ctx.recordOnly(body), ctx.record(body))) {
      assertThat(p.kernelCount()).as(p::toString).isEqualTo(kernels);
      assertThat(p.explain().kernels().stream().filter(k -> k.startsWith(kind)))
          .as(p::toString)
          .hasSize(ofKind);
      reset();
      p.run();
      assertThat(a.toFloatArray()).as(p::toString).containsExactly(wanted.get(0));
      assertThat(b.toFloatArray()).as(p::toString).containsExactly(wanted.get(1));
      assertThat(c.toFloatArray()).as(p::toString).containsExactly(wanted.get(2));
    }
  }

  private void reset() {
    ctx.assign(a, x.plus(1));
    ctx.assign(b, x.minus(2));
    ctx.assign(c, x.times(3));
  }

  @Test
  void productsAreComputedOnce() {
    Expr<F32> d = dot(x, w);
    expect(
        2,
        "gemm",
        1,
        () -> {
          ctx.assign(a, d);
          ctx.assign(b, d.plus(1));
        });
    expect(
        3,
        "gemm",
        1,
        () -> {
          ctx.assign(a, tanh(d));
          ctx.assign(b, d.plus(1));
        });
  }

  @Test
  void productsOfWhatTheBodyMakesAreComputedOnce() {
    expect(
        3,
        "gemm",
        1,
        () -> {
          Tensor<F32> t = ctx.eval(cumSum(x, 0));
          Expr<F32> d = dot(t, w);
          ctx.assign(a, d);
          ctx.assign(b, d.plus(1));
        });
  }

  @Test
  void sumsOfRowsAreComputedOnce() {
    Expr<F32> s = sum(exp(x), 1).keepDims();
    expect(
        2,
        "row",
        1,
        () -> {
          ctx.assign(a, exp(x).div(s));
          ctx.assign(b, log(s).expand(6, 6));
        });
    Tensor<F32> row = ctx.zeros(F32, 6);
    Reduced<F32> sums = sum(exp(x), 1);
    expect(
        2,
        "reduce",
        1,
        () -> {
          ctx.assign(row, sums);
          ctx.assign(b, x.times(sums));
        });
  }

  @Test
  void targetsThatAreWrittenAgainHoldNothing() {
    Expr<F32> d = dot(x, w);
    expect(
        5,
        "gemm",
        1,
        () -> {
          ctx.assign(a, d);
          ctx.assign(a, a.flip(0).plus(1).slice(range(0, 6)).minus(c));
          ctx.assign(b, d.plus(a));
        });
  }

  @Test
  void barriersOfWhatIsWrittenInBetweenAreComputedAgain() {
    Expr<F32> d = dot(c, w);
    expect(
        4,
        "gemm",
        2,
        () -> {
          ctx.assign(a, d);
          ctx.assign(c.slice(range(2, 3)), x.slice(range(0, 1)));
          ctx.assign(b, d.plus(1));
        });
  }

  @Test
  void otherPartsOfWhatIsReadMayBeWritten() {
    Expr<F32> d = dot(c.slice(range(0, 3)), w);
    expect(
        4,
        "gemm",
        1,
        () -> {
          ctx.assign(a.slice(range(0, 3)), d);
          ctx.assign(c.slice(range(3, 6)), cumSum(x.slice(range(0, 3)), 0));
          ctx.assign(b.slice(range(3, 6)), d.plus(c.slice(range(3, 6))).flip(0));
          ctx.assign(c, 0);
        });
  }

  @Test
  void productsThatAreAddedAreComputedOnce() {
    Expr<F32> d = dot(x, w);
    expect(
        3,
        "gemm",
        1,
        () -> {
          ctx.assign(a, a.plus(d));
          ctx.assign(b, b.minus(d));
        });
  }

  @Test
  void severalTargetsShare() {
    Expr<F32> d = dot(x, w);
    expect(2, "gemm", 1, () -> ctx.assignAll(Pair.of(a, d.plus(1)), Pair.of(b, d.times(2))));
    Expr<F32> s = sum(exp(x), 1).keepDims();
    expect(1, "row", 1, () -> ctx.assignAll(Pair.of(a, exp(x).div(s)), Pair.of(b, x.minus(s))));
  }

  @Test
  void targetsThatAreReadStayAsTheyAre() {
    Expr<F32> d = dot(c, w);
    expect(
        3,
        "gemm",
        2,
        () -> {
          ctx.assign(c, d);
          ctx.assign(b, d);
        });
  }

  @Test
  void roundsShareWithinEach() {
    Expr<F32> d = dot(x, w);
    Program p =
        ctx.recordTransient(() ->
            ctx.repeat(
                8,
                k -> {
                  ctx.assign(a, d.plus(a));
                  ctx.assign(b, d.times(b));
                },
                (label, _) -> label));
    assertThat(p.explain().kernels().stream().filter(k -> k.startsWith("gemm"))).hasSize(8);
  }

  /** An operator whose steps evaluate one expression again after they changed what it reads. */
  private static final class Powers extends LExpr<F32> {
    Powers(Expr<F32> x) {
      super(F32, x.shape(), x);
    }

    @Override
    protected void execute(Assignment assignment, LValue<F32> target) {
      @SuppressWarnings("unchecked")
      var x = (Expr<F32>) inputs().get(0);
      Tensor<F32> t = assignment.temporary(F32, shape());
      assignment.assign(t, x);
      Expr<F32> next = dot(t, t).times(0.5).plus(t.flip(0));
      assignment.assign(t, next);
      assignment.assign(t, next);
      assignment.assign(target, t);
    }
  }

  @Test
  void operatorsEvaluateAgainWhatTheyChange() {
    Tensor<F32> t = ctx.eval(x);
    for (int k = 0; k < 2; k++) {
      t = ctx.eval(dot(t, t).times(0.5).plus(t.flip(0)));
    }
    assertThat(ctx.eval(new Powers(x)).toFloatArray()).containsExactly(t.toFloatArray());
  }
}
