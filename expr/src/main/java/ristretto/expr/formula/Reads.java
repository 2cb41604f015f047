package ristretto.expr.formula;

import ristretto.expr.index.ViewOp;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Values available to {@link ristretto.expr.RExpr#read}: elements of the inputs at the current
 * index, the index itself, and the launch scalars that {@code scalars} declares. The planner and
 * {@link SlotReads} implement it.
 */
public abstract class Reads {
  private final DType<?> dtype;

  /** Creates reads of an expression with elements of {@code dtype}. */
  protected Reads(DType<?> dtype) {
    this.dtype = dtype;
  }

  /**
   * Element of input {@code k} at the current index; the input's shape must broadcast to the
   * expression's.
   */
  public abstract Scalar input(int k);

  /** Position along an axis of this expression, an I64. */
  public abstract Scalar coordinate(int axis);

  /** Row-major number of the element within this expression, an I64. */
  public abstract Scalar elementNumber();

  /** Launch scalar {@code k} of this expression, in the order {@code scalars} added them. */
  public abstract Scalar number(int k);

  /**
   * Constant of the expression's dtype, compiled into the kernel; varying numbers belong in {@code
   * scalars}.
   */
  public Scalar constant(double value) {
    return constant(dtype, value);
  }

  /** Constant of a given dtype, compiled into the kernel. */
  public Scalar constant(DType<?> type, double value) {
    return scalar(tape().constant(type.compute(), value));
  }

  /** Element of the view {@code op} of input {@code k}. */
  public abstract Scalar through(int k, ViewOp op);

  /** Element of the view {@code op} of input {@code k}, broadcast to {@code to}. */
  public abstract Scalar through(int k, ViewOp op, Shape to);

  /**
   * Element of input {@code source} gathered at the positions in input {@code indices} along {@code
   * axis}.
   *
   * @param along true if the indices have the shape of the expression
   */
  public abstract Scalar gather(int source, int indices, int axis, boolean along);

  /** Tape that receives the formula. */
  public abstract TapeBuilder tape();

  /** Value of a row of the {@link #tape}. */
  public Scalar scalar(int row) {
    return new Scalar(tape(), row);
  }
}
