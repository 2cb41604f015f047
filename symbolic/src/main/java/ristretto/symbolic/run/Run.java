package ristretto.symbolic.run;

import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/**
 * Recorded run with the memory of its outputs.
 *
 * @param inputs memory of the inputs, which differs for each shape
 * @param apart inputs whose gradients are wanted, but that the loss does not depend on
 * @param checks checks of inputs before the run
 * @param reached parameters for which the loss has a gradient
 * @param trained parameters whose gradients the run computes, zeros included
 */
public record Run(
    Mode mode,
    Variable<?> loss,
    Optimizer optimizer,
    List<Tensor<?>> inputs,
    Program program,
    Map<Variable<?>, Tensor<?>> outputs,
    Map<Variable<?>, Tensor<?>> inputGradients,
    List<Variable<?>> apart,
    List<Variable<?>> reached,
    List<Variable<?>> trained,
    List<InputCheck> checks) {
  public enum Mode {
    EVALUATE,
    GRADIENTS,
    TRAIN
  }

  /** Returns the inputs whose gradients are wanted, but that the loss does not depend on. */
  public static List<Variable<?>> apart(Variable<?> loss, Set<Variable<?>> wanted) {
    if (wanted.isEmpty() || loss == null) {
      return List.of();
    }
    List<Variable<?>> read = new Graph(List.of(loss)).of(Variable.Kind.INPUT);
    return wanted.stream().filter(v -> !read.contains(v)).toList();
  }

  /**
   * Returns the gradient of an input; null if it was not wanted.
   *
   * @param orZero true to return zeros if the loss does not depend on the input
   * @throws ShapeException if the loss does not depend on the input, unless {@code orZero}
   */
  public Tensor<?> gradient(Variable<?> input, boolean orZero) {
    if (!orZero && apart.contains(input)) {
      throw new ShapeException(
          "[gradientOf] the loss must be computed from the input; got loss "
              + loss
              + ", which never reads "
              + input
              + "; compute the loss from it, or use gradientOrZeroOf if zeros are intended.");
    }
    return inputGradients.get(input);
  }

  /**
   * Returns true if this run has the given mode, loss, optimizer and current inputs; allocates
   * nothing.
   */
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
