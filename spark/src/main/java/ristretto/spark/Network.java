package ristretto.spark;

import java.util.List;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/**
 * Symbolic model.
 *
 * @param loss scalar that training minimizes; null for a model that only predicts
 * @param outputs what predictions compute
 */
public record Network(Variable<?> loss, List<Variable<?>> outputs) {
  /** Checks that there is an output. */
  public Network {
    if (outputs.isEmpty()) {
      throw new ShapeException(
          "[network] a model must have an output; got none; name what predictions compute.");
    }
    outputs = List.copyOf(outputs);
  }

  /** Returns a model to be trained. */
  public static Network of(Variable<?> loss, Variable<?>... outputs) {
    return new Network(loss, List.of(outputs));
  }

  /** Returns a model that only predicts. */
  public static Network predicting(Variable<?>... outputs) {
    return new Network(null, List.of(outputs));
  }
}
