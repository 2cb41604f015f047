// Lesson 9: user-defined operators.
//
//   ./ristretto run examples/lessons/09_OwnOperators.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

/// Difference of each element from the mean of its two neighbours. An RExpr defines a single
/// element; kernels that read the expression inline the definition.
static final class Bump extends RExpr<F32> {
  Bump(Expr<F32> left, Expr<F32> middle, Expr<F32> right) {
    super(F32, middle.shape(), left, middle, right);
  }

  @Override
  protected Scalar read(Reads in) {
    return in.input(1).minus(in.input(0).plus(in.input(2)).times(0.5));
  }
}

/// Divides by the largest element. An LExpr consists of several kernels: it allocates temporaries,
/// and computes its result by assignments to a target.
static final class Normalized extends LExpr<F32> {
  Normalized(Expr<F32> x) {
    super(F32, x.shape(), x);
  }

  @Override
  @SuppressWarnings("unchecked")
  protected void execute(Assignment assignment, LValue<F32> target) {
    var x = (Expr<F32>) inputs().get(0);
    Tensor<F32> largest = assignment.temporary(F32, Shape.SCALAR);
    assignment.assign(largest, max(x));
    assignment.assign(target, x.div(largest));
  }
}

void main() {
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.tensor(new float[] {0, 1, 4, 9, 8, 7, 0});
    Expr<F32> bump = new Bump(x.slice(range(0, -2)), x.slice(range(1, -1)), x.slice(from(2)));
    Plan plan = ctx.explain(abs(bump).times(2));
    IO.println(plan);
    ctx.eval(abs(bump).times(2)).print();

    // Register it by name, so that other code can use it without the class.
    ExprRegistry.register("normalized", List.of(F32), in -> new Normalized((Expr<F32>) in.get(0)));
    ctx.eval(call(F32, "normalized", x.plus(1))).print();
    IO.println("result: kernels_bump=" + plan.kernelCount());
  }
}
