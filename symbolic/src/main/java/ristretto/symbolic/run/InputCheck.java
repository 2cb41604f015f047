package ristretto.symbolic.run;

import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.Tensor;
import ristretto.expr.type.I32;
import ristretto.symbolic.graph.Variable;

/**
 * Check of inputs before a run, such as labels and sequence lengths; made once for each content.
 */
public final class InputCheck {
  private final List<Variable<I32>> inputs;
  private final Consumer<int[][]> check;
  private final Tensor<?>[] checked;
  private final long[] versions;

  /**
   * Creates a check.
   *
   * @param check receives the elements of each input, and throws if they are wrong
   */
  InputCheck(List<Variable<I32>> inputs, Consumer<int[][]> check) {
    this.inputs = inputs;
    this.check = check;
    this.checked = new Tensor<?>[inputs.size()];
    this.versions = new long[inputs.size()];
  }

  /**
   * Checks the current elements; allocates nothing if no input has been set since the last check.
   */
  public void check(Session session) {
    if (isChecked(session)) {
      return;
    }
    int[][] elements = new int[checked.length][];
    for (int k = 0; k < checked.length; k++) {
      elements[k] = session.elements(inputs.get(k));
    }
    check.accept(elements);
    for (int k = 0; k < checked.length; k++) {
      checked[k] = session.get(inputs.get(k));
      versions[k] = session.version(inputs.get(k));
    }
  }

  private boolean isChecked(Session session) {
    for (int k = 0; k < checked.length; k++) {
      Variable<I32> input = inputs.get(k);
      if (session.get(input) != checked[k] || session.version(input) != versions[k]) {
        return false;
      }
    }
    return true;
  }
}
