package ristretto.expr;

import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Values available to {@link RExpr#read}: elements of the inputs at the current index, the index
 * itself, and the launch scalars that {@link Expr#scalars} declares.
 */
public sealed class Reads permits SlotReads {
  private final Fragments fragments;
  private final Expr<?> expr;
  private final ViewChain chain;

  Reads(Fragments fragments, Expr<?> expr, ViewChain chain) {
    this.fragments = fragments;
    this.expr = expr;
    this.chain = chain;
  }

  /**
   * Element of input {@code k} at the current index; the input's shape must broadcast to the
   * expression's.
   */
  public Scalar input(int k) {
    Expr<?> in = expr.inputs().get(k);
    var use = new Fragments.Use(in, ViewChain.expanding(in.shape(), expr.shape(), chain));
    return hole(use, in.dtype().compute());
  }

  /** Position along an axis of this expression, an I64. */
  public Scalar coordinate(int axis) {
    int d = expr.shape().axis(axis, "coordinate");
    return position(IndexMap.coordinate(expr.shape().toArray(), d));
  }

  /** Row-major number of the element within this expression, an I64. */
  public Scalar elementNumber() {
    return position(IndexMap.contiguous(expr.shape().toArray()));
  }

  private Scalar position(IndexMap numbering) {
    return hole(new Fragments.Position(numbering, chain), ScalarType.I64);
  }

  /**
   * Constant of the expression's dtype, compiled into the kernel; varying numbers belong in {@link
   * Expr#scalars}.
   */
  public Scalar constant(double value) {
    return constant(expr.dtype().compute(), value);
  }

  /** Constant of a given dtype, compiled into the kernel. */
  public Scalar constant(DType<?> dtype, double value) {
    return constant(dtype.compute(), value);
  }

  Scalar constant(ScalarType type, double value) {
    return scalar(tape().constant(type, value));
  }

  /** Launch scalar {@code k} of this expression, in the order {@link Expr#scalars} added them. */
  public Scalar number(int k) {
    return scalar(fragments.number(expr, k));
  }

  /** Element of the view {@code op} of input {@code k}. */
  Scalar through(int k, ViewOp op) {
    return through(k, op, chain);
  }

  /** Element of the view {@code op} of input {@code k}, broadcast to {@code to}. */
  Scalar through(int k, ViewOp op, Shape to) {
    return through(k, op, ViewChain.expanding(Shape.of(op.dims()), to, chain));
  }

  private Scalar through(int k, ViewOp op, ViewChain then) {
    Expr<?> in = expr.inputs().get(k);
    var use = new Fragments.Use(in, new ViewChain(op, then));
    boolean mayFail = op instanceof ViewOp.Reshape || op instanceof ViewOp.Windows;
    return hole(mayFail ? new Fragments.Reshaped(use) : use, in.dtype().compute());
  }

  /**
   * Element of input {@code source} gathered at the positions in input {@code indices} along {@code
   * axis}.
   */
  Scalar gather(int source, int indices, int axis, boolean along) {
    Expr<?> from = expr.inputs().get(source);
    Expr<?> by = expr.inputs().get(indices);
    var gathered = new Fragments.Gathered(from, by, expr.shape(), axis, along, chain);
    return hole(gathered, from.dtype().compute());
  }

  private Scalar hole(Fragments.Hole hole, ScalarType type) {
    return scalar(fragments.hole(hole, type));
  }

  Scalar scalar(int row) {
    return new Scalar(tape(), row);
  }

  TapeBuilder tape() {
    return fragments.tape();
  }
}
