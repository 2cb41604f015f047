package ristretto.symbolic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import ristretto.expr.DType;

/**
 * Computes variables from variables. Its two methods are written as assignments of expressions:
 * they run while an {@link Executor} records a step, once for each combination of shapes.
 *
 * <p>An operator that is one expression needs no class: see {@link Layers#apply}, which derives the
 * gradient. A formula may take gradients across other operators; a class must not.
 */
public abstract class Operator {
  private final String name;
  private final List<Variable<?>> inputs;
  private final List<Variable<?>> outputs = new ArrayList<>();
  private boolean recomputed;

  /**
   * @param name for messages
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

  /** As it was named. */
  public final String name() {
    return name;
  }

  /** What it reads, parameters and states included. */
  public final List<Variable<?>> inputs() {
    return inputs;
  }

  /** See {@link Variable#recompute}. */
  final void recompute() {
    recomputed = true;
  }

  final boolean isRecomputed() {
    return recomputed;
  }

  /** What it computes. */
  public final List<Variable<?>> outputs() {
    return Collections.unmodifiableList(outputs);
  }

  /** Assigns each output, by {@link Executor#assign}. */
  protected abstract void forward(Executor x);

  /**
   * Adds to the gradients of the inputs, by {@link Executor#addGradient}, what those of the outputs
   * tell. Called if an output has a gradient.
   */
  protected abstract void backward(Executor x);

  /**
   * Adds to the gradients of the inputs as {@link #backward} does, for formulas that take gradients
   * across this operator and are differentiated again: by expressions alone, without {@link
   * Executor#room}.
   */
  void backwardThrough(Executor x) {
    backward(x);
  }

  /** True if its formula takes gradients across other operators. */
  boolean crosses() {
    return false;
  }

  /** True if its class is a user's. */
  final boolean isOfUsers() {
    return getClass().getPackage() != Operator.class.getPackage();
  }

  /**
   * Whether {@link #backward} reads the value of one of its variables; others need not be kept.
   * Inputs by default.
   */
  protected boolean backwardReads(Variable<?> variable) {
    return inputs.contains(variable);
  }

  /** Puts itself into a graph of ONNX. */
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
