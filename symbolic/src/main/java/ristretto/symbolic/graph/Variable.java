package ristretto.symbolic.graph;

import ristretto.expr.type.DType;
import ristretto.kernels.ShapeException;

/**
 * Value of a model: an input, a parameter, a state, or the output of an operator. Variables own no
 * memory: each {@link ristretto.symbolic.Executor} allocates its own, so one model can run in
 * several executors at a time.
 *
 * @param <T> the dtype
 */
public final class Variable<T> {
  /** Kind of a variable. */
  public enum Kind {
    /** Set by the user before a run. */
    INPUT,
    /** Learned: set by its initializer, changed by optimizers. */
    PARAMETER,
    /** Persistent between runs and changed by an operator, such as a running mean. */
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
    if (name == null || name.isEmpty() && owner == null) {
      throw new ShapeException(
          "[variable] a variable must have a name; got %s; name it, as in Variable.input(\"x\", F32, -1, 8)."
              .formatted(name == null ? "null" : "\"\""));
    }
    this.kind = kind;
    this.name = name;
    this.dtype = dtype;
    this.dims = dims;
    this.initializer = initializer;
    this.owner = owner;
  }

  /**
   * Creates an input, which the user sets before a run.
   *
   * @param dims dimensions; -1 if unknown, such as the batch size
   */
  public static <T> Variable<T> input(String name, DType<T> dtype, long... dims) {
    return new Variable<>(Kind.INPUT, name, dtype, Dims.of(dims), null, null);
  }

  /**
   * Creates a trainable parameter.
   *
   * @param dims dimensions, all of them known
   * @throws ShapeException if the dtype is not floating point
   */
  public static <T> Variable<T> parameter(
      String name, DType<T> dtype, Initializer initializer, long... dims) {
    if (!dtype.isFloat()) {
      throw new ShapeException(
          ("[%s] parameters must be floating point, since they are trained; got %s; convert the"
               + " input of a layer by apply(\"cast\", F32, v -> v.get(x).cast(F32), x), and keep"
               + " constants in Variable.state.")
              .formatted(name, dtype));
    }
    return kept(Kind.PARAMETER, name, dtype, initializer, known(name, dims));
  }

  /**
   * Creates a state, which an operator keeps between runs.
   *
   * @param dims dimensions, all of them known
   */
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
              + "; give all extents.");
    }
    return all;
  }

  static <T> Variable<T> output(Operator owner, String name, DType<T> dtype, Dims dims) {
    return new Variable<>(Kind.OUTPUT, name, dtype, dims, null, owner);
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the name given by the user, or that of the operator. */
  public String name() {
    return name;
  }

  /** Returns the dtype of the elements. */
  public DType<T> dtype() {
    return dtype;
  }

  /** Returns the shape, in which some dimensions may be unknown. */
  public Dims dims() {
    return dims;
  }

  /** Returns the initializer; null unless this is a parameter or a state. */
  public Initializer initializer() {
    return initializer;
  }

  /** Returns the operator that computes this variable, or null. */
  public Operator owner() {
    return owner;
  }

  /** Element-wise sum, broadcast by NumPy's rule. */
  public Variable<T> plus(Variable<T> b) {
    return FormulaOperator.apply("plus", dtype, x -> x.get(this).plus(x.get(b)), this, b);
  }

  /** Adds a number to each element. */
  public Variable<T> plus(double b) {
    return FormulaOperator.apply("plus", dtype, x -> x.get(this).plus(b), this);
  }

  /** Element-wise difference, broadcast by NumPy's rule. */
  public Variable<T> minus(Variable<T> b) {
    return FormulaOperator.apply("minus", dtype, x -> x.get(this).minus(x.get(b)), this, b);
  }

  /** Subtracts a number from each element. */
  public Variable<T> minus(double b) {
    return FormulaOperator.apply("minus", dtype, x -> x.get(this).minus(b), this);
  }

  /** Element-wise product, broadcast by NumPy's rule. */
  public Variable<T> times(Variable<T> b) {
    return FormulaOperator.apply("times", dtype, x -> x.get(this).times(x.get(b)), this, b);
  }

  /** Multiplies each element by a number. */
  public Variable<T> times(double b) {
    return FormulaOperator.apply("times", dtype, x -> x.get(this).times(b), this);
  }

  /** Element-wise quotient, broadcast by NumPy's rule. */
  public Variable<T> div(Variable<T> b) {
    return FormulaOperator.apply("div", dtype, x -> x.get(this).div(x.get(b)), this, b);
  }

  /** Divides each element by a number. */
  public Variable<T> div(double b) {
    return FormulaOperator.apply("div", dtype, x -> x.get(this).div(b), this);
  }

  /** Negates each element. */
  public Variable<T> neg() {
    return FormulaOperator.apply("neg", dtype, x -> x.get(this).neg(), this);
  }

  /**
   * Enables rematerialization (Chen et al., 2016): the value is not stored between forward and
   * backward pass, but recomputed from its operator's inputs, which saves memory. The results are
   * bitwise the same.
   *
   * @return this
   * @throws ShapeException if no operator computes this variable
   */
  public Variable<T> recompute() {
    if (owner == null) {
      throw new ShapeException(
          "[recompute] the variable must be the output of an operator; got " + this + ".");
    }
    owner.recompute();
    return this;
  }

  /** Returns text like {@code fc1 f32[?,128]}. */
  @Override
  public String toString() {
    return name + " " + dtype + dims;
  }
}
