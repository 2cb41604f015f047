package ristretto.expr;

import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Symbolic element of a kernel that is being planned, for {@link RExpr#read}. Operations append to
 * the kernel's tape. Binary operations need operands of equal dtype and throw a {@link
 * ShapeException} otherwise; transcendental and rounding functions ({@code exp}, {@code floor},
 * ...) take floating point only. Comparisons return booleans. F16 and BF16 elements are read as
 * F32, I8 and U8 elements as I32.
 */
public final class Scalar {
  final TapeBuilder tape;
  final int row;

  Scalar(TapeBuilder tape, int row) {
    this.tape = tape;
    this.row = row;
  }

  ScalarType type() {
    return tape.type(row);
  }

  Scalar apply(Op op) {
    check(op, type());
    return new Scalar(tape, tape.apply(op, row));
  }

  Scalar apply(Op op, Scalar b) {
    check(op, type());
    if (b.type() != type()) {
      throw new ShapeException(
          "["
              + op.word()
              + "] dtypes must be equal; got "
              + type().label()
              + " and "
              + b.type().label()
              + "; cast one of them.");
    }
    return new Scalar(tape, tape.apply(op, row, b.row));
  }

  private static void check(Op op, ScalarType type) {
    if (!op.accepts(type)) {
      throw new ShapeException(
          "[" + op.word() + "] does not take " + type.label() + "; cast the operand.");
    }
  }

  /** Sum. */
  public Scalar plus(Scalar b) {
    return apply(Op.ADD, b);
  }

  /** Sum with a {@link #constant}. */
  public Scalar plus(double b) {
    return plus(constant(b));
  }

  /** Difference. */
  public Scalar minus(Scalar b) {
    return apply(Op.SUB, b);
  }

  /** Difference to a {@link #constant}. */
  public Scalar minus(double b) {
    return minus(constant(b));
  }

  /** Product. */
  public Scalar times(Scalar b) {
    return apply(Op.MUL, b);
  }

  /** Product with a {@link #constant}. */
  public Scalar times(double b) {
    return times(constant(b));
  }

  /** Quotient; integers truncate and give 0 for a divisor of 0. */
  public Scalar div(Scalar b) {
    return apply(Op.DIV, b);
  }

  /** Quotient by a {@link #constant}. */
  public Scalar div(double b) {
    return div(constant(b));
  }

  /** Remainder with the sign of the dividend; integers give 0 for a divisor of 0. */
  public Scalar rem(Scalar b) {
    return apply(Op.REM, b);
  }

  /** Power, as {@link Math#pow}; floating point only. */
  public Scalar pow(Scalar b) {
    return apply(Op.POW, b);
  }

  /** Minimum; NaN if either is NaN, and -0 is below 0. */
  public Scalar min(Scalar b) {
    return apply(Op.MIN, b);
  }

  /** Maximum; NaN if either is NaN, and -0 is below 0. */
  public Scalar max(Scalar b) {
    return apply(Op.MAX, b);
  }

  /** Angle in radians of the point (b, this), where b is the x coordinate. */
  public Scalar atan2(Scalar b) {
    return apply(Op.ATAN2, b);
  }

  /** Logical and of booleans, bitwise and of integers. */
  public Scalar and(Scalar b) {
    return apply(Op.AND, b);
  }

  /** Logical or of booleans, bitwise or of integers. */
  public Scalar or(Scalar b) {
    return apply(Op.OR, b);
  }

  /** Logical exclusive or of booleans, bitwise of integers. */
  public Scalar xor(Scalar b) {
    return apply(Op.XOR, b);
  }

  /** True if this is below {@code b}; false if either is NaN. */
  public Scalar lt(Scalar b) {
    return apply(Op.LT, b);
  }

  /** True if this is at most {@code b}; false if either is NaN. */
  public Scalar le(Scalar b) {
    return apply(Op.LE, b);
  }

  /** True if this is above {@code b}; false if either is NaN. */
  public Scalar gt(Scalar b) {
    return apply(Op.GT, b);
  }

  /** True if this is at least {@code b}; false if either is NaN. */
  public Scalar ge(Scalar b) {
    return apply(Op.GE, b);
  }

  /** True if both are equal; false if either is NaN. */
  public Scalar eq(Scalar b) {
    return apply(Op.EQ, b);
  }

  /** True if both differ; true if either is NaN. */
  public Scalar ne(Scalar b) {
    return apply(Op.NE, b);
  }

  /** Negation. */
  public Scalar neg() {
    return apply(Op.NEG);
  }

  /** Logical not of a boolean, bitwise complement of an integer. */
  public Scalar not() {
    return apply(type() == ScalarType.BOOL ? Op.NOT : Op.BITNOT);
  }

  /** Magnitude. */
  public Scalar abs() {
    return apply(Op.ABS);
  }

  /** -1, 0 or 1; NaN stays, and a zero keeps its sign. */
  public Scalar sign() {
    return apply(Op.SIGN);
  }

  /** Square root, correctly rounded. */
  public Scalar sqrt() {
    return apply(Op.SQRT);
  }

  /** e to the power of this. */
  public Scalar exp() {
    return apply(Op.EXP);
  }

  /** Natural logarithm. */
  public Scalar log() {
    return apply(Op.LOG);
  }

  /** Sine of radians. */
  public Scalar sin() {
    return apply(Op.SIN);
  }

  /** Cosine of radians. */
  public Scalar cos() {
    return apply(Op.COS);
  }

  /** Hyperbolic tangent. */
  public Scalar tanh() {
    return apply(Op.TANH);
  }

  /** Error function. */
  public Scalar erf() {
    return apply(Op.ERF);
  }

  /** Rounds down to an integer. */
  public Scalar floor() {
    return apply(Op.FLOOR);
  }

  /** Rounds up to an integer. */
  public Scalar ceil() {
    return apply(Op.CEIL);
  }

  /** Nearest integer, ties to even. */
  public Scalar rint() {
    return apply(Op.RINT);
  }

  /**
   * Selection {@code this ? then : otherwise}; this must be a boolean, and both branches are
   * computed.
   */
  public Scalar select(Scalar then, Scalar otherwise) {
    if (type() != ScalarType.BOOL || then.type() != otherwise.type()) {
      throw new ShapeException(
          "[select] needs a bool condition and two values of one dtype; got "
              + type().label()
              + ", "
              + then.type().label()
              + " and "
              + otherwise.type().label()
              + "; compare or cast first.");
    }
    return new Scalar(tape, tape.apply(Op.SELECT, row, then.row, otherwise.row));
  }

  /** Converts to another dtype; see {@link Expr#cast}. */
  public Scalar cast(DType<?> to) {
    return Apply.cast(this, to.scalar());
  }

  /** Constant of this element's dtype, compiled into the kernel. */
  public Scalar constant(double value) {
    return new Scalar(tape, tape.constant(type(), value));
  }
}
