package ristretto.symbolic;

import ristretto.expr.DType;
import ristretto.kernels.ShapeException;

/**
 * A value of a model: what goes in, what is learned, what an operator yields. It has no memory of
 * its own: an {@link Executor} gives it some, so that one model can run in several at a time.
 *
 * @param <T> the dtype
 */
public final class Variable<T> {
  /** Where a variable's value comes from. */
  public enum Kind {
    /** Given for each run. */
    INPUT,
    /** Learned: starts as its initializer says, and optimizers change it. */
    PARAMETER,
    /** Kept from run to run and changed by an operator, such as a running mean. */
    STATE,
    /** Computed by an operator. */
    OUTPUT
  }

  private final Kind kind;
  private final String name;
  private final DType<T> dtype;
  private final Dims dims;
  private final Initializer initializer;
  private final Operator owner;

  private Variable(
      Kind kind, String name, DType<T> dtype, Dims dims, Initializer initializer, Operator owner) {
    this.kind = kind;
    this.name = name;
    this.dtype = dtype;
    this.dims = dims;
    this.initializer = initializer;
    this.owner = owner;
  }

  /**
   * Something that is given for each run.
   *
   * @param dims extents; those that are not known yet, such as the batch size, are -1
   */
  public static <T> Variable<T> input(String name, DType<T> dtype, long... dims) {
    return new Variable<>(Kind.INPUT, name, dtype, Dims.of(dims), null, null);
  }

  /**
   * Something that is learned.
   *
   * @param dims extents, all of them known
   */
  public static <T> Variable<T> parameter(
      String name, DType<T> dtype, Initializer initializer, long... dims) {
    return kept(Kind.PARAMETER, name, dtype, initializer, known(name, dims));
  }

  /** Something that an operator keeps from run to run. */
  public static <T> Variable<T> state(
      String name, DType<T> dtype, Initializer initializer, long... dims) {
    return kept(Kind.STATE, name, dtype, initializer, known(name, dims));
  }

  private static <T> Variable<T> kept(
      Kind kind, String name, DType<T> dtype, Initializer initializer, Dims dims) {
    return Shared.variable(
        name, dtype, dims, () -> new Variable<>(kind, name, dtype, dims, initializer, null));
  }

  private static Dims known(String name, long... dims) {
    Dims all = Dims.of(dims);
    if (!all.known()) {
      throw new ShapeException(
          "["
              + name
              + "] the extents of parameters and states must be known; got "
              + all
              + "; say how many.");
    }
    return all;
  }

  static <T> Variable<T> output(Operator owner, String name, DType<T> dtype, Dims dims) {
    return new Variable<>(Kind.OUTPUT, name, dtype, dims, null, owner);
  }

  /** Where its value comes from. */
  public Kind kind() {
    return kind;
  }

  /** As it was named, or as its operator is. */
  public String name() {
    return name;
  }

  /** Type of the elements. */
  public DType<T> dtype() {
    return dtype;
  }

  /** What is known of its shape. */
  public Dims dims() {
    return dims;
  }

  /** How it starts; null if it is no parameter and no state. */
  Initializer initializer() {
    return initializer;
  }

  /** The operator that computes it; null if none does. */
  Operator owner() {
    return owner;
  }

  /** Sum, broadcast by NumPy's rule. */
  public Variable<T> plus(Variable<T> b) {
    return Layers.apply("plus", dtype, x -> x.get(this).plus(x.get(b)), this, b);
  }

  /** Sum with a number. */
  public Variable<T> plus(double b) {
    return Layers.apply("plus", dtype, x -> x.get(this).plus(b), this);
  }

  /** Difference, broadcast by NumPy's rule. */
  public Variable<T> minus(Variable<T> b) {
    return Layers.apply("minus", dtype, x -> x.get(this).minus(x.get(b)), this, b);
  }

  /** Difference with a number. */
  public Variable<T> minus(double b) {
    return Layers.apply("minus", dtype, x -> x.get(this).minus(b), this);
  }

  /** Product, element by element, broadcast by NumPy's rule. */
  public Variable<T> times(Variable<T> b) {
    return Layers.apply("times", dtype, x -> x.get(this).times(x.get(b)), this, b);
  }

  /** Product with a number. */
  public Variable<T> times(double b) {
    return Layers.apply("times", dtype, x -> x.get(this).times(b), this);
  }

  /** Quotient, element by element, broadcast by NumPy's rule. */
  public Variable<T> div(Variable<T> b) {
    return Layers.apply("div", dtype, x -> x.get(this).div(x.get(b)), this, b);
  }

  /** Quotient with a number. */
  public Variable<T> div(double b) {
    return Layers.apply("div", dtype, x -> x.get(this).div(b), this);
  }

  /** Negation. */
  public Variable<T> neg() {
    return Layers.apply("neg", dtype, x -> x.get(this).neg(), this);
  }

  /**
   * Saves memory: the value is not kept from the forward to the backward pass, but computed again
   * there, from what its operator reads (Chen et al., 2016). The results are the same bits.
   *
   * @return this
   * @throws ShapeException if no operator computes it
   */
  public Variable<T> recompute() {
    if (owner == null) {
      throw new ShapeException(
          "[recompute] what is computed again must be the output of an operator; got "
              + this
              + ".");
    }
    owner.recompute();
    return this;
  }

  /** As {@code fc1 f32[?,128]}. */
  @Override
  public String toString() {
    return name + " " + dtype + dims;
  }
}
