package ristretto.symbolic;

import java.util.List;
import java.util.Map;
import ristretto.expr.Program;
import ristretto.expr.Tensor;

/**
 * A recorded run and where its outputs are.
 *
 * @param inputs memory of the inputs, which is another one for each shape
 * @param limits of inputs, to be checked before it runs
 * @param reached parameters that the loss has a gradient for
 */
record Run(
    Mode mode,
    Variable<?> loss,
    Optimizer optimizer,
    List<Tensor<?>> inputs,
    Program program,
    Map<Variable<?>, Tensor<?>> outputs,
    Map<Variable<?>, Tensor<?>> inputGradients,
    List<Variable<?>> reached,
    List<Limit> limits) {
  enum Mode {
    EVALUATE,
    GRADIENTS,
    TRAIN
  }

  /** Whether it does what is asked for, with the inputs that are given; allocates nothing. */
  boolean fits(
      Mode what, Variable<?> ofLoss, Optimizer by, List<Variable<?>> variables, Session given) {
    if (mode != what || loss != ofLoss || optimizer != by) {
      return false;
    }
    for (int k = 0; k < inputs.size(); k++) {
      if (inputs.get(k) != given.get(variables.get(k))) {
        return false;
      }
    }
    return true;
  }
}
