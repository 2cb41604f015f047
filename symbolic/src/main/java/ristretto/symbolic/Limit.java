package ristretto.symbolic;

import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/** Upper bound of an input of sequence lengths in a run, checked once for each content. */
final class Limit {
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
  Limit(String operator, Variable<?> lengths, long steps) {
    this.operator = operator;
    this.lengths = lengths;
    this.steps = steps;
  }

  /**
   * Checks the current lengths; allocates nothing if they have not been set since the last check.
   */
  void check(Session session) {
    Tensor<?> value = session.get(lengths);
    long now = session.version(lengths);
    if (value == checked && version == now) {
      return;
    }
    for (int length : value.toIntArray()) {
      if (length < 0 || length > steps) {
        throw new ShapeException(
            "["
                + operator
                + "] lengths must be from 0 to the number of steps; got "
                + length
                + " for "
                + steps
                + " steps in "
                + lengths
                + "; cut the lengths, or pad the sequences.");
      }
    }
    checked = value;
    version = now;
  }
}
