package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.run.Graph;

/** Gradients of all parameters along a random direction, beside differences of the loss. */
public final class GradientCheck {
  private static final double H = 1e-5;

  private GradientCheck() {}

  public static void of(Context ctx, Executor executor, Variable<F64> loss) {
    List<Variable<?>> parameters = new Graph(List.of(loss)).of(Variable.Kind.PARAMETER);
    assertThat(parameters).isNotEmpty();
    for (Variable<?> v : parameters) {
      @SuppressWarnings("unchecked")
      var p = (Variable<F64>) v;
      Tensor<F64> w = executor.tensor(p);
      Tensor<F64> direction = ctx.eval(Ops.normal(Ops.F64, 5, w.shape().toArray()));
      executor.backward(loss);
      Expr<F64> along = executor.gradientOf(p).times(direction);
      double slope = ctx.eval(Ops.sum(along)).item();
      ctx.assignAdd(w, direction.times(H));
      executor.backward(loss);
      double up = executor.tensor(loss).item();
      ctx.assignSub(w, direction.times(2 * H));
      executor.backward(loss);
      double down = executor.tensor(loss).item();
      ctx.assignAdd(w, direction.times(H));
      double expected = (up - down) / (2 * H);
      assertThat(slope).as(p.name()).isCloseTo(expected, within(1e-5 * (1 + Math.abs(expected))));
    }
  }
}
