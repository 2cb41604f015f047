package ristretto.expr.formula;

import ristretto.expr.type.DType;
import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Symbolic element of a kernel that is being planned, for {@link ristretto.expr.RExpr#read}.
 * Operations append to the kernel's tape. Binary operations need operands of equal dtype and throw
 * a {@link ShapeException} otherwise; transcendental and rounding functions ({@code exp}, {@code
 * floor}, ...) take floating point only. Comparisons return booleans. F16 and BF16 elements are
 * read as F32, elements of I8, U8, I16 and U16 as I32, those of U32 as I64. U64 elements are read
 * as the I64 of equal bits: comparison, division and conversion take them as signed numbers.
 */
public final class Scalar {
  private final TapeBuilder tape;
  private final int row;

  /** Creates the value of a row of a tape. */
  public Scalar(TapeBuilder tape, int row) {
    this.tape = tape;
    this.row = row;
  }

  /** Row of the value in the tape of its kernel. */
  public int row() {
    return row;
  }

  /** Type of the value inside the kernel. */
  public ScalarType type() {
    return tape.type(row);
  }

  /** Result of a unary operation. */
  public Scalar apply(Op op) {
    check(op, type());
    return new Scalar(tape, tape.apply(op, row));
  }

  /** Result of a binary operation with an operand of equal type. */
  public Scalar apply(Op op, Scalar b) {
    check(op, type());
    if (b.type() != type()) {
      throw new ShapeException(
          "[%s] dtypes must be equal; got %s and %s; cast one of them."
              .formatted(op.word(), type().label(), b.type().label()));
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
          ("[select] needs a bool condition and two values of one dtype; got %s, %s and %s; compare"
                  + " or cast first.")
              .formatted(type().label(), then.type().label(), otherwise.type().label()));
    }
    return new Scalar(tape, tape.apply(Op.SELECT, row, then.row, otherwise.row));
  }

  /**
   * Converts to another dtype and rounds to storage types, so that {@code x.cast(I8)} wraps inside
   * a fused kernel as it does in memory.
   */
  public Scalar cast(DType<?> to) {
    ScalarType type = to.scalar();
    boolean saturates = type().isFloat() && type.isInteger() && type.isStorageOnly();
    if (saturates && type != ScalarType.I8 && type != ScalarType.U8) {
      return Integers.saturated(this, to);
    }
    Scalar converted = new Scalar(tape, tape.convert(row, type.compute()));
    return switch (type) {
      case F16 -> new Scalar(tape, NarrowFloats.half(tape, converted.row));
      case BF16 -> new Scalar(tape, NarrowFloats.bfloat(tape, converted.row));
      case I8, U8, I16, U16, U32, U64, BOOL, I32, I64, F32, F64 -> Integers.wrapped(converted, to);
    };
  }

  /** Value in another type of tapes. */
  Scalar convert(ScalarType to) {
    return new Scalar(tape, tape.convert(row, to));
  }

  /** Constant of this element's dtype, compiled into the kernel. */
  public Scalar constant(double value) {
    return new Scalar(tape, tape.constant(type(), value));
  }
}
