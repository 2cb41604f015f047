package ristretto.symbolic.run;

import java.util.function.LongFunction;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/**
 * Upper bound of the elements of an input, such as sequence lengths, in a run; checked once for
 * each content.
 */
public final class InputLimit {
  private final Variable<?> input;
  private final long most;
  private final LongFunction<String> message;
  private Tensor<?> checked;
  private long version;

  /**
   * Creates a limit.
   *
   * @param most largest element; the smallest is 0
   * @param message returns the message of an element out of range
   */
  InputLimit(Variable<?> input, long most, LongFunction<String> message) {
    this.input = input;
    this.most = most;
    this.message = message;
  }

  /**
   * Checks the current elements; allocates nothing if the input has not been set since the last
   * check.
   */
  public void check(Session session) {
    Tensor<?> value = session.get(input);
    long now = session.version(input);
    if (value == checked && version == now) {
      return;
    }
    for (int element : value.toIntArray()) {
      if (element < 0 || element > most) {
        throw new ShapeException(message.apply(element));
      }
    }
    checked = value;
    version = now;
  }
}
