package ristretto.kernels.scalar;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;

/**
 * Algebraic rules for one row that preserve the IEEE result for every operand, including NaN,
 * infinities and signed zeros: {@code x*1}, {@code x/1}, {@code x-0}, {@code x+(-0)}, {@code
 * -(-x)}, {@code not not x}, selects with equal or constant arms, redundant conversions, {@code
 * (f32) op((f64) x)} narrowed where that is exact. Not applied by default: {@code x+0} (x may be
 * -0) and {@code x*0} (x may be NaN or infinite), which {@code -Dristretto.fast-math=true} enables.
 * Operations are never reassociated.
 */
final class Simplify {
  private static final boolean FAST_MATH = Boolean.getBoolean("ristretto.fast-math");

  private Simplify() {}

  /** Returns an existing or simplified row equal to {@code n}, or -1 if {@code n} must be added. */
  static int apply(TapeBuilder tape, Node.Apply n) {
    if (tape.node(n.a()) instanceof Node.Const a
        && (n.b() < 0 || tape.node(n.b()) instanceof Node.Const)
        && (n.c() < 0 || tape.node(n.c()) instanceof Node.Const)) {
      Node.Const b = n.b() < 0 ? null : (Node.Const) tape.node(n.b());
      Node.Const c = n.c() < 0 ? null : (Node.Const) tape.node(n.c());
      Node.Const folded = FoldConstants.apply(n.op(), n.type(), a, b, c);
      if (folded != null) {
        return tape.intern(folded);
      }
    }
    return switch (n.op()) {
      case ADD -> right(tape, n, n.type().isFloat() && !FAST_MATH ? -0.0 : 0);
      case SUB, SHL, SHR, USHR -> right(tape, n, 0);
      case MUL -> {
        if ((FAST_MATH || n.type().isInteger()) && isConst(tape, n.b(), 0)) {
          yield n.b();
        }
        yield right(tape, n, 1);
      }
      case DIV -> {
        if (tape.node(n.b()) instanceof Node.Const c && n.type().isFloat() && exactReciprocal(c)) {
          yield tape.apply(Op.MUL, n.a(), tape.constant(n.type(), 1 / c.asDouble()));
        }
        yield right(tape, n, 1);
      }
      case POW -> power(tape, n);
      case NEG, NOT, BITNOT ->
          tape.node(n.a()) instanceof Node.Apply a && a.op() == n.op() ? a.a() : -1;
      case AND, OR -> {
        if (n.a() == n.b()) {
          yield n.a();
        }
        if (n.type() == BOOL && tape.node(n.b()) instanceof Node.Const c) {
          yield (c.bits() != 0) == (n.op() == Op.AND) ? n.a() : n.b();
        }
        yield -1;
      }
      case MIN, MAX -> n.a() == n.b() ? n.a() : -1;
      case SELECT -> {
        if (n.b() == n.c()) {
          yield n.b();
        }
        if (tape.node(n.a()) instanceof Node.Const c) {
          yield c.bits() != 0 ? n.b() : n.c();
        }
        if (n.type() == BOOL && isConst(tape, n.b(), 1) && isConst(tape, n.c(), 0)) {
          yield n.a();
        }
        if (tape.node(n.a()) instanceof Node.Apply not && not.op() == Op.NOT) {
          yield tape.apply(Op.SELECT, not.a(), n.c(), n.b());
        }
        yield -1;
      }
      case CONVERT -> convert(tape, n);
      case BITCAST ->
          tape.node(n.a()) instanceof Node.Apply a
                  && a.op() == Op.BITCAST
                  && tape.type(a.a()) == n.type()
              ? a.a()
              : -1;
      case ABS, SIGN, SQRT, CBRT, EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, SIGMOID -> -1;
      case SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, SINH, COSH, TANH, ASINH, ACOSH, ATANH -> -1;
      case ERF, ERFC, FLOOR, CEIL, TRUNC, RINT, REM, HYPOT, COPYSIGN, XOR, MULHI, FMA -> -1;
      case LT, LE, GT, GE, EQ, NE -> -1;
    };
  }

  private static int right(TapeBuilder tape, Node.Apply n, double neutral) {
    return isConst(tape, n.b(), neutral) ? n.a() : -1;
  }

  private static boolean isConst(TapeBuilder tape, int row, double value) {
    return tape.node(row) instanceof Node.Const c && c.is(value);
  }

  /**
   * Returns true for powers of two whose reciprocal is normal: division and multiplication by the
   * reciprocal then give equal bits.
   */
  private static boolean exactReciprocal(Node.Const c) {
    double v = Math.abs(c.asDouble());
    double low = c.type() == F32 ? Float.MIN_NORMAL : Double.MIN_NORMAL;
    return v >= low && v <= 1 / low && Double.doubleToRawLongBits(v) << 12 == 0;
  }

  private static int power(TapeBuilder tape, Node.Apply n) {
    if (isConst(tape, n.b(), 1)) {
      return n.a();
    }
    if (isConst(tape, n.b(), 2)) {
      return tape.apply(Op.MUL, n.a(), n.a());
    }
    if (isConst(tape, n.b(), -1)) {
      return tape.apply(Op.DIV, tape.constant(n.type(), 1), n.a());
    }
    if (isConst(tape, n.b(), 0)) {
      return tape.constant(n.type(), 1);
    }
    return -1;
  }

  private static int convert(TapeBuilder tape, Node.Apply n) {
    if (!(tape.node(n.a()) instanceof Node.Apply inner)) {
      return -1;
    }
    if (inner.op() == Op.CONVERT) {
      ScalarType from = tape.type(inner.a());
      boolean widened = inner.type() == F64 && (from == F32 || from == I32);
      if (widened && (n.type() == from || n.type().isFloat())) {
        return tape.convert(inner.a(), n.type());
      }
    }
    if (n.type() == F32 && inner.type() == F64) {
      return narrow(tape, inner);
    }
    return -1;
  }

  /**
   * Rewrites {@code (float) f((double) x)} to the F32 operation: exact for + - * / sqrt and
   * rounding (double rounding is innocuous there), within the stated ulp for transcendental
   * functions.
   */
  private static int narrow(TapeBuilder tape, Node.Apply f) {
    int a = widenedFloat(tape, f.a());
    if (a < 0) {
      return -1;
    }
    if (f.op().arity() == 1 && f.op().kind() != Op.Kind.CAST) {
      return tape.apply(f.op(), a);
    }
    if (f.op().arity() != 2) {
      return -1;
    }
    int b = widenedFloat(tape, f.b());
    return b < 0 || f.op() == Op.REM ? -1 : tape.apply(f.op(), a, b);
  }

  /**
   * Returns the F32 row whose F64 conversion is {@code row}, or -1; F64 constants that are exact in
   * F32 count as conversions.
   */
  private static int widenedFloat(TapeBuilder tape, int row) {
    if (tape.node(row) instanceof Node.Apply n && n.op() == Op.CONVERT && tape.type(n.a()) == F32) {
      return n.a();
    }
    if (tape.node(row) instanceof Node.Const c
        && c.type() == F64
        && (float) c.asDouble() == c.asDouble()) {
      return tape.constant(F32, c.asDouble());
    }
    return -1;
  }
}
