package ristretto.symbolic.run;

import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/** Upper bound of an input of sequence lengths in a run, checked once for each content. */
public final class LengthLimit {
  private final String operator;
  private final Variable<?> lengths;
  private final long steps;
  private Tensor<?> checked;
  private long version;

  /**
   * Creates a limit.
   *
   * @param operator name of the operator that reads the lengths
   * @param lengths an input
   */
  LengthLimit(String operator, Variable<?> lengths, long steps) {
    this.operator = operator;
    this.lengths = lengths;
    this.steps = steps;
  }

  /**
   * Checks the current lengths; allocates nothing if they have not been set since the last check.
   */
  public void check(Session session) {
    Tensor<?> value = session.get(lengths);
    long now = session.version(lengths);
    if (value == checked && version == now) {
      return;
    }
    for (int length : value.toIntArray()) {
      if (length < 0 || length > steps) {
        throw new ShapeException(
            ("[%s] lengths must be from 0 to the number of steps; got %s for %s steps in %s;"
                    + " cut the lengths, or pad the sequences.")
                .formatted(operator, length, steps, lengths));
      }
    }
    checked = value;
    version = now;
  }
}
