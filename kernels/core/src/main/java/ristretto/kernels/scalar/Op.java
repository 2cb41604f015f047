package ristretto.kernels.scalar;

import java.util.Locale;

/**
 * Operations on scalars, one enum row each. Semantics are those of Java: integers wrap, shifts mask
 * their count, float to integer conversion saturates with NaN to 0. No operation throws: integer
 * division and remainder by zero give 0. {@code MIN} and {@code MAX} return NaN if either operand
 * is NaN, and -0 is less than +0. Transcendental functions are within 2 ulp (F32) over their whole
 * range.
 */
public enum Op {
  // columns: operand types, arity, commutative, symbol for printing
  NEG(Kind.NUMERIC, "-"),
  ABS(Kind.NUMERIC, "abs"),
  SIGN(Kind.NUMERIC, "sign"),
  BITNOT(Kind.INTEGRAL, "~"),
  NOT(Kind.LOGICAL, "!"),
  SQRT(Kind.FLOATING, "sqrt"),
  CBRT(Kind.FLOATING, "cbrt"),
  EXP(Kind.FLOATING, "exp"),
  EXP2(Kind.FLOATING, "exp2"),
  EXPM1(Kind.FLOATING, "expm1"),
  LOG(Kind.FLOATING, "log"),
  LOG2(Kind.FLOATING, "log2"),
  LOG10(Kind.FLOATING, "log10"),
  LOG1P(Kind.FLOATING, "log1p"),
  SIN(Kind.FLOATING, "sin"),
  COS(Kind.FLOATING, "cos"),
  TAN(Kind.FLOATING, "tan"),
  ASIN(Kind.FLOATING, "asin"),
  ACOS(Kind.FLOATING, "acos"),
  ATAN(Kind.FLOATING, "atan"),
  SINH(Kind.FLOATING, "sinh"),
  COSH(Kind.FLOATING, "cosh"),
  TANH(Kind.FLOATING, "tanh"),
  /**
   * Logistic function {@code 1 / (1 + exp(-a))}, within 2.5 ulp down to the smallest number of the
   * type.
   */
  SIGMOID(Kind.FLOATING, "sigmoid"),
  ASINH(Kind.FLOATING, "asinh"),
  ACOSH(Kind.FLOATING, "acosh"),
  ATANH(Kind.FLOATING, "atanh"),
  ERF(Kind.FLOATING, "erf"),
  ERFC(Kind.FLOATING, "erfc"),
  FLOOR(Kind.FLOATING, "floor"),
  CEIL(Kind.FLOATING, "ceil"),
  TRUNC(Kind.FLOATING, "trunc"),
  /** Nearest integer, ties to even. */
  RINT(Kind.FLOATING, "rint"),

  ADD(Kind.NUMERIC, 2, true, "+"),
  SUB(Kind.NUMERIC, 2, false, "-"),
  MUL(Kind.NUMERIC, 2, true, "*"),
  DIV(Kind.NUMERIC, 2, false, "/"),
  /** Remainder with the sign of the dividend, like Java's {@code %}. */
  REM(Kind.NUMERIC, 2, false, "%"),
  MIN(Kind.NUMERIC, 2, true, "min"),
  MAX(Kind.NUMERIC, 2, true, "max"),
  POW(Kind.FLOATING, 2, false, "pow"),
  ATAN2(Kind.FLOATING, 2, false, "atan2"),
  HYPOT(Kind.FLOATING, 2, true, "hypot"),
  COPYSIGN(Kind.FLOATING, 2, false, "copysign"),
  AND(Kind.BITWISE, 2, true, "&"),
  OR(Kind.BITWISE, 2, true, "|"),
  XOR(Kind.BITWISE, 2, true, "^"),
  /** Left shift; the shift count has the operand's type. */
  SHL(Kind.INTEGRAL, 2, false, "<<"),
  SHR(Kind.INTEGRAL, 2, false, ">>"),
  USHR(Kind.INTEGRAL, 2, false, ">>>"),
  /** Upper half of the unsigned product; I32 only. */
  MULHI(Kind.INTEGRAL, 2, true, "mulhi"),

  LT(Kind.COMPARE, 2, false, "<"),
  LE(Kind.COMPARE, 2, false, "<="),
  GT(Kind.COMPARE, 2, false, ">"),
  GE(Kind.COMPARE, 2, false, ">="),
  EQ(Kind.COMPARE, 2, true, "=="),
  NE(Kind.COMPARE, 2, true, "!="),

  /** Fused multiply-add {@code a * b + c} with one rounding. */
  FMA(Kind.FLOATING, 3, false, "fma"),
  /** Selection {@code a ? b : c}: a is BOOL, b and c have the same type; both are evaluated. */
  SELECT(Kind.SELECT, 3, false, "select"),
  /** Conversion to another type; to BOOL means {@code != 0}. */
  CONVERT(Kind.CAST, 1, false, "convert"),
  /** Reinterpretation of the bits as another type of equal size. */
  BITCAST(Kind.CAST, 1, false, "bitcast");

  /** Class of operand types that an operation accepts. */
  public enum Kind {
    NUMERIC,
    FLOATING,
    INTEGRAL,
    LOGICAL,
    BITWISE,
    COMPARE,
    SELECT,
    CAST
  }

  private final Kind kind;
  private final int arity;
  private final boolean commutative;
  private final String symbol;
  private final String word = name().toLowerCase(Locale.ROOT);

  Op(Kind kind, String symbol) {
    this(kind, 1, false, symbol);
  }

  Op(Kind kind, int arity, boolean commutative, String symbol) {
    this.kind = kind;
    this.arity = arity;
    this.commutative = commutative;
    this.symbol = symbol;
  }

  public Kind kind() {
    return kind;
  }

  public int arity() {
    return arity;
  }

  public boolean commutative() {
    return commutative;
  }

  public String symbol() {
    return symbol;
  }

  /** Word for kernel names: the lower-case name, such as {@code mul} or {@code log1p}. */
  public String word() {
    return word;
  }

  /** Returns true if operands may have this type (for SELECT: the two values). */
  public boolean accepts(ScalarType type) {
    if (type.isStorageOnly()) {
      return false;
    }
    return switch (kind) {
      case NUMERIC -> type != ScalarType.BOOL;
      case FLOATING -> type.isFloat();
      case INTEGRAL -> this == MULHI ? type == ScalarType.I32 : type.isInteger();
      case LOGICAL -> type == ScalarType.BOOL;
      case BITWISE -> type.isInteger() || type == ScalarType.BOOL;
      case COMPARE -> type != ScalarType.BOOL || this == EQ || this == NE;
      case SELECT, CAST -> true;
    };
  }
}
