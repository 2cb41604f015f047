package ristretto.symbolic.train;

import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/** Check of the operands of metrics that compare two tensors element by element. */
final class SameShape {
  private SameShape() {}

  /** Requires equal shapes: broadcasting would compare each output with each target. */
  static void require(
      String metric, Variable<?> output, Tensor<?> one, Variable<?> target, Tensor<?> other) {
    if (!one.shape().equals(other.shape())) {
      throw new ShapeException(
          ("[%s] outputs and targets must have one shape; got %s for %s in %s and %s; reshape one"
                  + " of them.")
              .formatted(metric, one.shape(), other.shape(), output, target));
    }
  }
}
