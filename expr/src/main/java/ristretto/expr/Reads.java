package ristretto.expr;

import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * What {@link RExpr#read} may ask for: elements of the inputs at the current index, the index
 * itself, and the launch scalars the expression announced in {@link Expr#scalars}.
 */
public sealed class Reads permits SlotReads {
  private final Lowering lowering;
  private final Expr<?> expr;
  private final ViewChain chain;

  Reads(Lowering lowering, Expr<?> expr, ViewChain chain) {
    this.lowering = lowering;
    this.expr = expr;
    this.chain = chain;
  }

  /**
   * Element of input {@code k} at the current index; the input's shape must broadcast to the
   * expression's.
   */
  public Scalar input(int k) {
    Expr<?> in = expr.inputs().get(k);
    return scalar(lowering.read(in, ViewChain.expanding(in.shape(), expr.shape(), chain)));
  }

  /** Position along an axis of this expression, an I64. */
  public Scalar coordinate(int axis) {
    int d = expr.shape().axis(axis, "coordinate");
    return scalar(lowering.index(IndexMap.coordinate(expr.shape().toArray(), d), chain, expr));
  }

  /** Row-major number of the element within this expression, an I64. */
  public Scalar elementNumber() {
    return scalar(lowering.index(IndexMap.contiguous(expr.shape().toArray()), chain, expr));
  }

  /**
   * A constant of the expression's dtype, part of the kernel; numbers that vary belong in {@link
   * Expr#scalars}.
   */
  public Scalar constant(double value) {
    return constant(expr.dtype().compute(), value);
  }

  /** A constant of another dtype, part of the kernel. */
  public Scalar constant(DType<?> dtype, double value) {
    return constant(dtype.compute(), value);
  }

  Scalar constant(ScalarType type, double value) {
    return scalar(tape().constant(type, value));
  }

  /** Launch scalar {@code k} of this expression, in the order {@link Expr#scalars} added them. */
  public Scalar number(int k) {
    return scalar(lowering.number(expr, k));
  }

  /** Input {@code k}, whose elements are found through {@code op}. */
  Scalar through(int k, ViewOp op) {
    return scalar(lowering.readThrough(expr.inputs().get(k), op, chain));
  }

  /** Input {@code k} through {@code op}, then broadcast to {@code to}. */
  Scalar through(int k, ViewOp op, Shape to) {
    ViewChain wide = ViewChain.expanding(Shape.of(op.dims()), to, chain);
    return scalar(lowering.readThrough(expr.inputs().get(k), op, wide));
  }

  /** Input {@code source} at positions that input {@code indices} holds along {@code axis}. */
  Scalar gather(int source, int indices, int axis, boolean along) {
    return scalar(lowering.gather(expr, source, indices, axis, along, chain));
  }

  Scalar scalar(int row) {
    return new Scalar(tape(), row);
  }

  TapeBuilder tape() {
    return lowering.tape();
  }
}
