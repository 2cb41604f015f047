package ristretto.symbolic.graph;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;

/**
 * Context passed to an operator's {@code forward} and {@code backward} while a run is recorded: the
 * operator reads values and gradients from the context and assigns results to it.
 */
public abstract class OperatorContext implements Values {
  /** Creates a context. */
  protected OperatorContext() {}

  /**
   * Assigns an output. The value is stored in memory or fused into the kernels that read it,
   * depending on its readers.
   */
  public abstract <T> void assign(Variable<T> output, Expr<T> value);

  /** Assigns a state, for later runs. */
  public abstract <T> void assignState(Variable<T> state, Expr<T> value);

  /** Returns the gradient of an output. */
  public abstract <T> Expr<T> gradient(Variable<T> output);

  /** Returns true if the gradient of an input is needed. */
  public abstract boolean wantsGradient(Variable<?> input);

  /**
   * Derives the gradients of an expression and adds them to the gradients of the inputs.
   *
   * @param y expression computed from {@code get} of the inputs
   * @param dy gradient of {@code y}
   */
  public abstract <T> void addGradients(Expr<T> y, Expr<T> dy, List<? extends Variable<?>> inputs);

  /**
   * Adds a term to the gradient of an input; ignored if the gradient of the input is not needed.
   */
  public abstract <T> void addGradient(Variable<T> input, Expr<T> part);

  /**
   * Returns true if a formula takes a gradient across the operator of an output, through that
   * output.
   */
  public abstract boolean isCrossed(Variable<?> output);

  /**
   * Returns the value stored in memory if computing it takes more than a copy, otherwise the value
   * itself.
   */
  public abstract <T> Expr<T> materialize(Expr<T> value);

  /** Returns the value stored in memory if computing it takes more than a few operations. */
  public abstract <T> Expr<T> materializeUnlessCheap(Expr<T> value);

  /**
   * Stores an expensive intermediate value from which an output is cheap to compute, if the output
   * has several readers; the output itself is then recomputed by each reader.
   *
   * @return the stored value, or the given one
   */
  public abstract <T> Expr<T> materializeFor(Variable<?> output, Expr<T> value);

  /**
   * Returns temporary memory of the current operator for one run, uninitialized. Equal names in
   * forward and backward yield one tensor.
   *
   * @throws ristretto.kernels.ShapeException if the tensor exists with another dtype or shape
   */
  public abstract <T> Tensor<T> workspace(String name, DType<T> dtype, long... dims);

  /**
   * Returns memory for the gradient of an input, to be passed to {@link #addGradient}: the
   * parameter's own gradient if this operator is its only reader, otherwise a {@link #workspace}.
   */
  public abstract <T> Tensor<T> gradientWorkspace(String name, Variable<T> input);

  /** Assigns to a {@link #workspace} or a part of one. */
  public abstract <T> void write(Tensor<T> workspace, Expr<T> value);

  /** Assigns to several targets of one shape, in one kernel where possible. */
  public abstract void writeAll(List<Pair<?>> pairs);

  /**
   * Runs a loop of {@code times} iterations. The iterations must do the same assignments, with
   * operands at offsets that grow by a constant stride: only the first few iterations are recorded,
   * the rest extrapolated; see {@link Context#repeat}.
   */
  public abstract void repeat(long times, IntConsumer body);

  /** Returns the time step numbers 0 to steps - 1, {@code [steps, 1, 1]}. */
  public abstract Tensor<I32> stepNumbers(long steps);

  /**
   * Requires, before each run, that sequence lengths are at most {@code steps}, if the lengths are
   * an input.
   */
  public abstract void limit(Variable<I32> lengths, long steps);

  /**
   * Requires, before each run, that all elements of a variable are from 0 to {@code most}, if the
   * variable is an input, or an input in another shape.
   *
   * @param message returns the message of an element out of range
   */
  public final void limit(Variable<I32> v, long most, IntFunction<String> message) {
    limit(v, element -> element >= 0 && element <= most, message);
  }

  /**
   * Requires, before each run, that all elements of a variable are valid, if the variable is an
   * input, or an input in another shape.
   *
   * @param message returns the message of an element that is not valid
   */
  @SuppressWarnings("unchecked")
  public final void limit(Variable<I32> v, IntPredicate isValid, IntFunction<String> message) {
    check(
        List.of((Variable<I32>) Views.origin(v)),
        elements -> {
          for (int element : elements[0]) {
            if (!isValid.test(element)) {
              throw new ShapeException(message.apply(element));
            }
          }
        });
  }

  /**
   * Checks some variables before each run, if all of them are inputs.
   *
   * @param check receives the elements of each variable, row-major, and throws if they are wrong
   */
  public abstract void check(List<Variable<I32>> inputs, Consumer<int[][]> check);

  /** Calls {@link Operator#forward}. */
  protected final void forward(Operator operator) {
    operator.forward(this);
  }

  /** Calls {@link Operator#backward}. */
  protected final void backward(Operator operator) {
    operator.backward(this);
  }

  /** Calls {@link Operator#backwardReads}. */
  protected final boolean backwardReads(Operator operator, Variable<?> variable) {
    return operator.backwardReads(variable);
  }

  /** Calls {@link Operator#backwardThrough}. */
  protected final void backwardThrough(Operator operator) {
    operator.backwardThrough(this);
  }
}
