package ristretto.kernels.source;

import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Renders one {@link Op} as a C expression with Java's semantics; the called functions are in
 * {@link Prelude} or the dialect's preamble. Operands are names or literals.
 */
final class Operation {
  private Operation() {}

  /**
   * Returns the expression of an operation.
   *
   * @param type type of the result
   * @param from type of the first operand
   */
  static String text(Op op, ScalarType type, ScalarType from, String a, String b, String c) {
    return switch (op) {
      case SELECT -> a + " ? " + b + " : " + c;
      case CONVERT -> convert(from, type, a);
      case BITCAST ->
          from == type
              ? a
              : Literal.type(type).toUpperCase(java.util.Locale.ROOT) + "_BITS(" + a + ")";
      case NOT -> "!" + a;
      case BITNOT -> "~" + a;
      case LT, LE, GT, GE, EQ, NE -> a + " " + op.symbol() + " " + b;
      case AND, OR, XOR -> a + " " + op.symbol() + " " + b;
      case MULHI -> "mulhi_i32(" + a + ", " + b + ")";
      case NEG -> type.isFloat() ? "-" + a : call("sub", type, "0", a);
      case ADD, SUB, MUL ->
          type.isFloat() ? a + " " + op.symbol() + " " + b : call(op.word(), type, a, b);
      case DIV -> type.isFloat() ? a + " / " + b : call("div", type, a, b);
      case REM -> type.isFloat() ? call("fmod", type, a, b) : call("rem", type, a, b);
      case SHL ->
          "(" + Literal.type(type) + ") (" + unsigned(type) + a + " << " + count(type, b) + ")";
      case SHR -> a + " >> " + count(type, b);
      case USHR -> call("ushr", type, a, b);
      case MIN, MAX, POW, ATAN2, HYPOT, COPYSIGN -> call(op.word(), type, a, b);
      case FMA -> call(op.word(), type, a, b + ", " + c);
      case ABS, SIGN, SQRT, CBRT, EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, SIGMOID ->
          call(op.word(), type, a);
      case SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH, ERF, ERFC ->
          call(op.word(), type, a);
      case FLOOR, CEIL, TRUNC, RINT -> call(op.word(), type, a);
    };
  }

  private static String call(String name, ScalarType type, String a) {
    return name + "_" + Literal.type(type) + "(" + a + ")";
  }

  private static String call(String name, ScalarType type, String a, String b) {
    return name + "_" + Literal.type(type) + "(" + a + ", " + b + ")";
  }

  private static String unsigned(ScalarType type) {
    return type == ScalarType.I64 ? "(u64) " : "(u32) ";
  }

  private static String count(ScalarType type, String b) {
    return "(" + b + " & " + (type == ScalarType.I64 ? "63" : "31") + ")";
  }

  static String convert(ScalarType from, ScalarType to, String a) {
    if (from == to) {
      return a;
    }
    if (to == ScalarType.BOOL) {
      return a + " != 0";
    }
    if (from == ScalarType.BOOL) {
      return "(" + Literal.type(to) + ") (" + a + " ? 1 : 0)";
    }
    if (from.isFloat() && to.isInteger()) {
      return Literal.type(to) + "_of_" + Literal.type(from) + "(" + a + ")";
    }
    return "(" + Literal.type(to) + ") " + a;
  }
}
