package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;

import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Gradients;
import ristretto.kernels.ShapeException;

/**
 * What training makes large: a sum over the rows of an output. Both the output and its targets have
 * a row for each row of the example. A lambda that gives {@link #value} is an objective; its
 * derivative follows.
 *
 * <pre>{@code
 * Objective absolute = (output, target) -> abs(output.minus(target)).neg();
 * }</pre>
 */
@FunctionalInterface
public interface Objective {
  /**
   * Products of outputs and targets: the log-likelihood of targets that are weights of classes, if
   * outputs are log-probabilities. Counted are the weights.
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

  /** Half the squares of differences, negative. Counted are rows. */
  Objective QUADRATIC = (output, target) -> square(target.minus(output)).times(-0.5f);

  /**
   * Numbers that add up to the objective, such as one an element or a row.
   *
   * @param output {@code [rows, dim]}
   * @param target {@code [rows, dim]}
   */
  Expr<F32> value(Expr<F32> output, Expr<F32> target);

  /** How much the rows count, as one number: how many there are, unless this is overridden. */
  default Expr<F32> weight(Expr<F32> target) {
    return fill(F32, (double) target.shape().dim(0));
  }

  /**
   * The derivative of the sum of {@link #value} by the output, derived unless overridden.
   *
   * @throws ShapeException if the value does not depend on the output, or some operation on the way
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
