package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;

import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;

/**
 * Objective that training maximizes: a sum over the rows of an output. The output and its targets
 * have one row per row of the example. A lambda for {@link #value} is an objective; its derivative
 * is derived automatically.
 *
 * <pre>{@code
 * Objective absolute = (output, target) -> abs(output.minus(target)).neg();
 * }</pre>
 */
@FunctionalInterface
public interface Objective {
  /**
   * Products of outputs and targets: the log-likelihood, if targets are class weights and outputs
   * are log-probabilities. The weight is the sum of the class weights.
   */
  Objective LINEAR =
      new Objective() {
        @Override
        public Expr<F32> value(Expr<F32> output, Expr<F32> target) {
          return output.times(target);
        }

        @Override
        public Expr<F32> weight(Expr<F32> target) {
          return sum(target);
        }

        @Override
        public Expr<F32> derivative(Expr<F32> output, Expr<F32> target) {
          return target;
        }
      };

  /** Negative squared error, {@code -(target - output)^2 / 2}. The weight is the number of rows. */
  Objective QUADRATIC = (output, target) -> square(target.minus(output)).times(-0.5f);

  /**
   * Returns summands of the objective, for example one per element or per row.
   *
   * @param output {@code [rows, dim]}
   * @param target {@code [rows, dim]}
   */
  Expr<F32> value(Expr<F32> output, Expr<F32> target);

  /** Returns the total weight of the rows, a scalar: the number of rows, unless overridden. */
  default Expr<F32> weight(Expr<F32> target) {
    return fill(F32, (double) target.shape().dim(0));
  }

  /**
   * Returns the derivative of the sum of {@link #value} by the output, by automatic differentiation
   * unless overridden.
   *
   * @throws ShapeException if the value does not depend on the output, or if one of its operations
   *     has no derivative
   */
  @SuppressWarnings("unchecked")
  default Expr<F32> derivative(Expr<F32> output, Expr<F32> target) {
    Expr<F32> total = sum(value(output, target));
    return (Expr<F32>)
        Gradients.find(total, output)
            .orElseThrow(() ->
                new ShapeException(
                    "[objective] an objective must depend on the output; got one that does not, for an output of shape %s; compute it from its first argument."
                        .formatted(output.shape())));
  }
}
