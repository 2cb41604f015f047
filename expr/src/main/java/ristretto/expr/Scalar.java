package ristretto.expr;

import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * One element inside a kernel that is being planned: what {@link RExpr#read} works with. Operations
 * need equal dtypes on both sides; comparisons give booleans.
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

  public Scalar plus(Scalar b) {
    return apply(Op.ADD, b);
  }

  public Scalar plus(double b) {
    return plus(constant(b));
  }

  public Scalar minus(Scalar b) {
    return apply(Op.SUB, b);
  }

  public Scalar minus(double b) {
    return minus(constant(b));
  }

  public Scalar times(Scalar b) {
    return apply(Op.MUL, b);
  }

  public Scalar times(double b) {
    return times(constant(b));
  }

  public Scalar div(Scalar b) {
    return apply(Op.DIV, b);
  }

  public Scalar div(double b) {
    return div(constant(b));
  }

  public Scalar rem(Scalar b) {
    return apply(Op.REM, b);
  }

  public Scalar pow(Scalar b) {
    return apply(Op.POW, b);
  }

  public Scalar min(Scalar b) {
    return apply(Op.MIN, b);
  }

  public Scalar max(Scalar b) {
    return apply(Op.MAX, b);
  }

  public Scalar atan2(Scalar b) {
    return apply(Op.ATAN2, b);
  }

  public Scalar and(Scalar b) {
    return apply(Op.AND, b);
  }

  public Scalar or(Scalar b) {
    return apply(Op.OR, b);
  }

  public Scalar xor(Scalar b) {
    return apply(Op.XOR, b);
  }

  public Scalar lt(Scalar b) {
    return apply(Op.LT, b);
  }

  public Scalar le(Scalar b) {
    return apply(Op.LE, b);
  }

  public Scalar gt(Scalar b) {
    return apply(Op.GT, b);
  }

  public Scalar ge(Scalar b) {
    return apply(Op.GE, b);
  }

  public Scalar eq(Scalar b) {
    return apply(Op.EQ, b);
  }

  public Scalar ne(Scalar b) {
    return apply(Op.NE, b);
  }

  public Scalar neg() {
    return apply(Op.NEG);
  }

  public Scalar not() {
    return apply(type() == ScalarType.BOOL ? Op.NOT : Op.BITNOT);
  }

  public Scalar abs() {
    return apply(Op.ABS);
  }

  public Scalar sign() {
    return apply(Op.SIGN);
  }

  public Scalar sqrt() {
    return apply(Op.SQRT);
  }

  public Scalar exp() {
    return apply(Op.EXP);
  }

  public Scalar log() {
    return apply(Op.LOG);
  }

  public Scalar sin() {
    return apply(Op.SIN);
  }

  public Scalar cos() {
    return apply(Op.COS);
  }

  public Scalar tanh() {
    return apply(Op.TANH);
  }

  public Scalar erf() {
    return apply(Op.ERF);
  }

  public Scalar floor() {
    return apply(Op.FLOOR);
  }

  public Scalar ceil() {
    return apply(Op.CEIL);
  }

  public Scalar rint() {
    return apply(Op.RINT);
  }

  /** {@code this ? then : otherwise}; this must be a boolean; both are computed. */
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

  public Scalar cast(DType<?> to) {
    return Apply.cast(this, to.scalar());
  }

  /** A constant of this element's dtype, part of the kernel. */
  public Scalar constant(double value) {
    return new Scalar(tape, tape.constant(type(), value));
  }
}
