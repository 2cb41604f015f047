package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.Assignment;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.ExprRegistry;
import ristretto.expr.LExpr;
import ristretto.expr.Plan;
import ristretto.expr.Program;
import ristretto.expr.RExpr;
import ristretto.expr.Tensor;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.type.F32;
import ristretto.expr.type.LValue;

/** Operators that users add: what fuses, what is shared, and host steps that assign themselves. */
class OwnOperatorsTest {
  /** No key: two objects may differ, so they must not share a plan. */
  private static final class Shift extends RExpr<F32> {
    private final double by;

    Shift(Expr<F32> x, double by) {
      super(x.dtype(), x.shape(), x);
      this.by = by;
    }

    @Override
    protected Scalar read(Reads in) {
      return in.input(0).plus(by);
    }
  }

  /** A number announced as a launch scalar, and the class as key: all objects share a kernel. */
  private static final class Scale extends RExpr<F32> {
    private final double factor;

    Scale(Expr<F32> x, double factor) {
      super(x.dtype(), x.shape(), x);
      this.factor = factor;
    }

    @Override
    protected Object key() {
      return Scale.class;
    }

    @Override
    protected void scalars(ScalarSink sink) {
      sink.add(F32, factor);
    }

    @Override
    protected Scalar read(Reads in) {
      return in.input(0).times(in.number(0));
    }
  }

  /** Reverses on the host, and evaluates something there. */
  private static final class HostReverse extends LExpr<F32> {
    HostReverse(Expr<F32> x) {
      super(F32, x.shape(), x);
    }

    @Override
    @SuppressWarnings("unchecked")
    protected void execute(Assignment assignment, LValue<F32> target) {
      Tensor<F32> x = assignment.contiguous((Expr<F32>) inputs().get(0));
      assignment.host(
          "reverse",
          () -> {
            Context ctx = x.context();
            float[] all = ctx.eval(softmax(x, 0).times(0).plus(x)).toFloatArray();
            float[] reversed = new float[all.length];
            for (int k = 0; k < all.length; k++) {
              reversed[k] = all[all.length - 1 - k];
            }
            assignment.write(target, reversed);
          });
    }
  }

  @Test
  void fieldsWithoutKeyAreNotShared() {
    try (Context ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3});
      for (int k = 0; k < 4; k++) {
        assertThat(ctx.eval(new Shift(x, k)).toFloatArray()).containsExactly(1 + k, 2 + k, 3 + k);
      }
    }
  }

  @Test
  void launchScalarsAreNoNewKernel() {
    try (Context ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3});
      Plan plan = ctx.explain(sum(new Scale(x, 2).plus(1), 0));
      assertThat(plan.kernelCount()).isEqualTo(1);
      assertThat(plan.temporaryCount()).isZero();
      ctx.eval(new Scale(x, 1));
      long misses = ctx.stats().cacheMisses();
      for (int k = 0; k < 4; k++) {
        assertThat(ctx.eval(new Scale(x, k)).toFloatArray()).containsExactly(k, 2 * k, 3 * k);
      }
      assertThat(ctx.stats().cacheMisses()).isEqualTo(misses);
    }
  }

  @Test
  void hostStepsMayAssign() {
    try (Context ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.arange(F32, 5);
      Expr<F32> e = new HostReverse(x.times(2)).plus(new HostReverse(x.plus(1)));
      float[] expected = {8 + 5, 6 + 4, 4 + 3, 2 + 2, 0 + 1};
      assertThat(ctx.eval(e).toFloatArray()).containsExactly(expected);
      Tensor<F32> y = ctx.empty(F32, 5);
      Program program = ctx.record(() -> ctx.assign(y, e));
      ctx.assign(x, x.plus(1));
      program.run();
      assertThat(y.toFloatArray()).containsExactly(16, 13, 10, 7, 4);
    }
  }

  @Test
  void registered() {
    ExprRegistry.register("test.shift", List.of(F32), in -> new Shift(asF32(in.get(0)), 7));
    try (Context ctx = TestDevice.open()) {
      Expr<F32> e = call(F32, "test.shift", ctx.ones(F32, 2));
      assertThat(ctx.eval(e).toFloatArray()).containsExactly(8, 8);
    }
  }

  @SuppressWarnings("unchecked")
  private static Expr<F32> asF32(Expr<?> e) {
    return (Expr<F32>) e;
  }
}
