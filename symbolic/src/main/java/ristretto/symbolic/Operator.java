package ristretto.symbolic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import ristretto.expr.DType;

/**
 * Computes output variables from input variables. Both {@code forward} and {@code backward} assign
 * expressions; an {@link Executor} calls them while recording a step, once for each combination of
 * shapes.
 *
 * <p>An operator given by one expression needs no class: see {@link Layers#apply}, which derives
 * the gradient. A formula may take gradients across other operators; a class must not.
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

  final boolean isRecomputed() {
    return recomputed;
  }

  /** Returns the variables that this operator computes. */
  public final List<Variable<?>> outputs() {
    return Collections.unmodifiableList(outputs);
  }

  /** Assigns each output with {@link Executor#assign}. */
  protected abstract void forward(Executor x);

  /**
   * Adds to the gradients of the inputs with {@link Executor#addGradient}, given the gradients of
   * the outputs. Called if at least one output has a gradient.
   */
  protected abstract void backward(Executor x);

  /**
   * Variant of {@link #backward} for formulas that take gradients across this operator and are
   * differentiated again: uses only expressions, no {@link Executor#room}.
   */
  void backwardThrough(Executor x) {
    backward(x);
  }

  /** Returns true if the formula takes gradients across other operators. */
  boolean crosses() {
    return false;
  }

  /** Returns true if the class is user-defined. */
  final boolean isOfUsers() {
    return getClass().getPackage() != Operator.class.getPackage();
  }

  /**
   * Returns true if {@link #backward} reads the value of a variable; other values need not be
   * stored. By default true for inputs.
   */
  protected boolean backwardReads(Variable<?> variable) {
    return inputs.contains(variable);
  }

  /** Adds this operator to an ONNX graph. */
  void onnx(OnnxGraph graph) {
    throw new OnnxException(
        "[onnx] an operator must be a formula, or one of the library's; got "
            + name
            + ", which is a class of its own; make it with Layers.apply, or export the variables"
            + " before it.");
  }

  @Override
  public String toString() {
    return name + inputs + " -> " + outputs;
  }
}
