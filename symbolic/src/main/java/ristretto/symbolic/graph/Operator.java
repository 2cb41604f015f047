package ristretto.symbolic.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import ristretto.expr.type.DType;

/**
 * Computes output variables from input variables. Both {@code forward} and {@code backward} assign
 * expressions; an {@link ristretto.symbolic.Executor} calls them while recording a step, once for
 * each combination of shapes.
 *
 * <p>An operator given by one expression needs no class: see {@link
 * ristretto.symbolic.Layers#apply}, which derives the gradient. A formula may take gradients across
 * other operators; a class must not.
 */
public abstract class Operator {
  private final String name;
  private final List<Variable<?>> inputs;
  private final List<Variable<?>> outputs = new ArrayList<>();
  private boolean recomputed;

  /**
   * Creates an operator.
   *
   * @param name name for messages
   */
  protected Operator(String name, List<? extends Variable<?>> inputs) {
    this.name = name;
    this.inputs = List.copyOf(inputs);
  }

  /** Declares an output. */
  protected final <T> Variable<T> output(DType<T> dtype, Dims dims) {
    String label = outputs.isEmpty() ? name : name + "." + outputs.size();
    Variable<T> output = Variable.output(this, label, dtype, dims);
    outputs.add(output);
    return output;
  }

  /** Declares an output with the shape of a formula of the inputs. */
  protected final <T> Variable<T> output(DType<T> dtype, Formula<T> formula) {
    return output(dtype, Probe.infer(name, formula, inputs));
  }

  /** Returns the name given at construction. */
  public final String name() {
    return name;
  }

  /** Returns the variables that this operator reads, parameters and states included. */
  public final List<Variable<?>> inputs() {
    return inputs;
  }

  /** Enables rematerialization of the outputs; see {@link Variable#recompute}. */
  final void recompute() {
    recomputed = true;
  }

  /** Returns true if the outputs are recomputed in the backward pass. */
  public final boolean isRecomputed() {
    return recomputed;
  }

  /** Returns the variables that this operator computes. */
  public final List<Variable<?>> outputs() {
    return Collections.unmodifiableList(outputs);
  }

  /** Assigns each output with {@link OperatorContext#assign}. */
  protected abstract void forward(OperatorContext x);

  /**
   * Adds to the gradients of the inputs with {@link OperatorContext#addGradient}, given the
   * gradients of the outputs. Called if at least one output has a gradient.
   */
  protected abstract void backward(OperatorContext x);

  /**
   * Variant of {@link #backward} for formulas that take gradients across this operator and are
   * differentiated again: uses only expressions, no {@link OperatorContext#workspace}.
   */
  protected void backwardThrough(OperatorContext x) {
    backward(x);
  }

  /**
   * Returns true if {@link #backward} reads the value of a variable; other values need not be
   * stored. By default true for inputs.
   */
  protected boolean backwardReads(Variable<?> variable) {
    return inputs.contains(variable);
  }

  @Override
  public String toString() {
    return name + inputs + " -> " + outputs;
  }
}
