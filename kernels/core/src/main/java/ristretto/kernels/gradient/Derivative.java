package ristretto.kernels.gradient;

import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Partial derivatives of operations, one rule each. Where the derivative is undefined, as at the
 * corner of {@code max(a, b)}, the one-sided value of {@code b} is taken, so that {@code max(x, 0)}
 * has slope 0 at 0; {@code abs} has slope 0 at 0. Rounding has slope 0 everywhere.
 */
final class Derivative {
  /** Marks an operand on which the result does not depend, or not differentiably. */
  static final int NONE = -1;

  private final TapeBuilder tape;
  private final ScalarType type;
  private final int y;
  private final int d;

  /**
   * Creates the rules for one operation.
   *
   * @param y the operation's result
   * @param d factor of the derivative, of the type of {@code y}
   */
  Derivative(TapeBuilder tape, int y, int d) {
    this.tape = tape;
    this.type = tape.type(y);
    this.y = y;
    this.d = d;
  }

  /** Returns {@code d} times the derivative with respect to operand {@code k}, or {@link #NONE}. */
  int of(Op op, int k, int... x) {
    int a = x[0];
    int b = x.length > 1 ? x[1] : NONE;
    boolean first = k == 0;
    return switch (op) {
      case NEG -> neg(d);
      case ABS -> mul(d, sign(a));
      case SQRT -> div(d, mul(c(2), y));
      case CBRT -> div(d, mul(c(3), square(y)));
      case EXP -> mul(d, y);
      case EXP2 -> mul(d, mul(y, c(Math.log(2))));
      case EXPM1 -> mul(d, apply(Op.EXP, a));
      case LOG -> div(d, a);
      case LOG2 -> div(d, mul(a, c(Math.log(2))));
      case LOG10 -> div(d, mul(a, c(Math.log(10))));
      case LOG1P -> div(d, add(a, c(1)));
      case SIN -> mul(d, apply(Op.COS, a));
      case COS -> neg(mul(d, apply(Op.SIN, a)));
      case TAN -> mul(d, add(c(1), square(y)));
      case ASIN -> div(d, apply(Op.SQRT, oneLessSquare(a)));
      case ACOS -> neg(div(d, apply(Op.SQRT, oneLessSquare(a))));
      case ATAN -> div(d, add(c(1), square(a)));
      case SINH -> mul(d, apply(Op.COSH, a));
      case COSH -> mul(d, apply(Op.SINH, a));
      case TANH -> mul(d, oneLess(square(y)));
      case SIGMOID -> mul(d, mul(y, oneLess(y)));
      case ASINH -> div(d, apply(Op.HYPOT, a, c(1)));
      case ACOSH -> div(div(d, apply(Op.SQRT, sub(a, c(1)))), apply(Op.SQRT, add(a, c(1))));
      case ATANH -> div(d, oneLessSquare(a));
      case ERF -> mul(d, bell(a));
      case ERFC -> neg(mul(d, bell(a)));
      case ADD -> d;
      case SUB -> first ? d : neg(d);
      case MUL -> mul(d, first ? b : a);
      case DIV -> first ? div(d, b) : neg(isOne(a) ? mul(mul(d, y), y) : div(mul(d, y), b));
      case REM -> first ? d : neg(mul(d, apply(Op.TRUNC, div(a, b))));
      case MIN -> side(apply(Op.LT, a, b), first);
      case MAX -> side(apply(Op.GT, a, b), first);
      case POW -> first ? powerOfBase(a, b) : powerOfExponent(a);
      case ATAN2 -> {
        int length = apply(Op.HYPOT, a, b);
        int part = div(mul(d, div(first ? b : a, length)), length);
        yield first ? part : neg(part);
      }
      case HYPOT -> select(apply(Op.EQ, y, c(0)), c(0), div(mul(d, first ? a : b), y));
      case COPYSIGN ->
          first ? mul(d, mul(apply(Op.COPYSIGN, c(1), a), apply(Op.COPYSIGN, c(1), b))) : NONE;
      case FMA -> k == 2 ? d : mul(d, first ? b : a);
      case SELECT -> first ? NONE : k == 1 ? select(a, d, c(0)) : select(a, c(0), d);
      case CONVERT -> tape.type(a).isFloat() ? tape.convert(d, tape.type(a)) : NONE;
      case SIGN, FLOOR, CEIL, TRUNC, RINT -> NONE;
      case BITNOT, NOT, AND, OR, XOR, SHL, SHR, USHR, MULHI -> NONE;
      case LT, LE, GT, GE, EQ, NE, BITCAST -> NONE;
    };
  }

  /**
   * Returns {@code d b a^(b-1)}; for a constant exponent such as 2 the power is simplified away.
   */
  private int powerOfBase(int a, int b) {
    return mul(d, mul(b, apply(Op.POW, a, sub(b, c(1)))));
  }

  /** Returns {@code d y log a}, and 0 for base 0, the limit from above for positive exponents. */
  private int powerOfExponent(int a) {
    int slope = mul(y, apply(Op.LOG, a));
    return mul(d, select(apply(Op.EQ, a, c(0)), c(0), slope));
  }

  private int side(int firstWins, boolean first) {
    return first ? select(firstWins, d, c(0)) : select(firstWins, c(0), d);
  }

  /** Returns the derivative of erf. */
  private int bell(int a) {
    return mul(c(2 / Math.sqrt(Math.PI)), apply(Op.EXP, neg(square(a))));
  }

  private int sign(int a) {
    return apply(Op.SIGN, a);
  }

  private int oneLess(int a) {
    return sub(c(1), a);
  }

  /** Returns {@code 1 - a^2} without cancellation where {@code a} is near 1. */
  private int oneLessSquare(int a) {
    return mul(sub(c(1), a), add(c(1), a));
  }

  private int square(int a) {
    return mul(a, a);
  }

  /** Returns true if {@code a} is the constant 1; equal constants share one row. */
  private boolean isOne(int a) {
    return a == c(1);
  }

  private int c(double value) {
    return tape.constant(type, value);
  }

  private int neg(int a) {
    return apply(Op.NEG, a);
  }

  private int add(int a, int b) {
    return apply(Op.ADD, a, b);
  }

  private int sub(int a, int b) {
    return apply(Op.SUB, a, b);
  }

  private int mul(int a, int b) {
    return apply(Op.MUL, a, b);
  }

  private int div(int a, int b) {
    return apply(Op.DIV, a, b);
  }

  private int select(int condition, int a, int b) {
    return tape.apply(Op.SELECT, condition, a, b);
  }

  private int apply(Op op, int a) {
    return tape.apply(op, a);
  }

  private int apply(Op op, int a, int b) {
    return tape.apply(op, a, b);
  }
}
