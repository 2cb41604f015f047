package ristretto.kernels.scalar;

import static ristretto.kernels.scalar.Op.Cost.BLEND;
import static ristretto.kernels.scalar.Op.Cost.DIVIDE;
import static ristretto.kernels.scalar.Op.Cost.EXTREME;
import static ristretto.kernels.scalar.Op.Cost.FREE;
import static ristretto.kernels.scalar.Op.Cost.FUNCTION;
import static ristretto.kernels.scalar.Op.Cost.MULTIPLY;
import static ristretto.kernels.scalar.Op.Cost.MULTIPLY_HIGH;
import static ristretto.kernels.scalar.Op.Cost.SEQUENCE;
import static ristretto.kernels.scalar.Op.Cost.SHIFT;
import static ristretto.kernels.scalar.Op.Cost.SIMPLE;
import static ristretto.kernels.scalar.Op.Identity.HIGHEST;
import static ristretto.kernels.scalar.Op.Identity.LOWEST;
import static ristretto.kernels.scalar.Op.Identity.NONE;
import static ristretto.kernels.scalar.Op.Identity.ONE;
import static ristretto.kernels.scalar.Op.Identity.ONES;
import static ristretto.kernels.scalar.Op.Identity.ZERO;
import static ristretto.kernels.scalar.Op.Kind.BITWISE;
import static ristretto.kernels.scalar.Op.Kind.CAST;
import static ristretto.kernels.scalar.Op.Kind.COMPARE;
import static ristretto.kernels.scalar.Op.Kind.FLOATING;
import static ristretto.kernels.scalar.Op.Kind.INTEGRAL;
import static ristretto.kernels.scalar.Op.Kind.LOGICAL;
import static ristretto.kernels.scalar.Op.Kind.NUMERIC;

import java.util.Locale;

/**
 * Operations on scalars, one enum row each. Semantics are those of Java: integers wrap, shifts mask
 * their count, float to integer conversion saturates with NaN to 0. No operation throws: integer
 * division and remainder by zero give 0. {@code MIN} and {@code MAX} return NaN if either operand
 * is NaN, and -0 is less than +0. Transcendental functions are within 2 ulp (F32) over their whole
 * range.
 */
public enum Op {
  // columns: operand types, arity, commutative, symbol, cost, identity, method of Math, vector
  // operator
  NEG(NUMERIC, 1, false, "-", SIMPLE, NONE, null, "NEG"),
  ABS(NUMERIC, 1, false, "abs", SIMPLE, NONE, "abs", "ABS"),
  SIGN(NUMERIC, 1, false, "sign", SEQUENCE, NONE, "signum", null),
  BITNOT(INTEGRAL, 1, false, "~", SIMPLE, NONE, null, "NOT"),
  NOT(LOGICAL, 1, false, "!", SIMPLE, NONE, null, null),
  SQRT(FLOATING, 1, false, "sqrt", DIVIDE, NONE, "sqrt", "SQRT"),
  CBRT(FLOATING, 1, false, "cbrt", FUNCTION, NONE, "cbrt", null),
  EXP(FLOATING, 1, false, "exp", FUNCTION, NONE, "exp", null),
  EXP2(FLOATING, 1, false, "exp2", FUNCTION, NONE, null, null),
  EXPM1(FLOATING, 1, false, "expm1", FUNCTION, NONE, "expm1", null),
  LOG(FLOATING, 1, false, "log", FUNCTION, NONE, "log", null),
  LOG2(FLOATING, 1, false, "log2", FUNCTION, NONE, null, null),
  LOG10(FLOATING, 1, false, "log10", FUNCTION, NONE, "log10", null),
  LOG1P(FLOATING, 1, false, "log1p", FUNCTION, NONE, "log1p", null),
  SIN(FLOATING, 1, false, "sin", FUNCTION, NONE, "sin", null),
  COS(FLOATING, 1, false, "cos", FUNCTION, NONE, "cos", null),
  TAN(FLOATING, 1, false, "tan", FUNCTION, NONE, "tan", null),
  ASIN(FLOATING, 1, false, "asin", FUNCTION, NONE, "asin", null),
  ACOS(FLOATING, 1, false, "acos", FUNCTION, NONE, "acos", null),
  ATAN(FLOATING, 1, false, "atan", FUNCTION, NONE, "atan", null),
  SINH(FLOATING, 1, false, "sinh", FUNCTION, NONE, "sinh", null),
  COSH(FLOATING, 1, false, "cosh", FUNCTION, NONE, "cosh", null),
  TANH(FLOATING, 1, false, "tanh", FUNCTION, NONE, "tanh", null),
  /**
   * Logistic function {@code 1 / (1 + exp(-a))}, within 2.5 ulp down to the smallest number of the
   * type.
   */
  SIGMOID(FLOATING, 1, false, "sigmoid", FUNCTION, NONE, null, null),
  ASINH(FLOATING, 1, false, "asinh", FUNCTION, NONE, null, null),
  ACOSH(FLOATING, 1, false, "acosh", FUNCTION, NONE, null, null),
  ATANH(FLOATING, 1, false, "atanh", FUNCTION, NONE, null, null),
  ERF(FLOATING, 1, false, "erf", FUNCTION, NONE, null, null),
  ERFC(FLOATING, 1, false, "erfc", FUNCTION, NONE, null, null),
  FLOOR(FLOATING, 1, false, "floor", SEQUENCE, NONE, "floor", null),
  CEIL(FLOATING, 1, false, "ceil", SEQUENCE, NONE, "ceil", null),
  TRUNC(FLOATING, 1, false, "trunc", SEQUENCE, NONE, null, null),
  /** Nearest integer, ties to even. */
  RINT(FLOATING, 1, false, "rint", SEQUENCE, NONE, "rint", null),

  ADD(NUMERIC, 2, true, "+", SIMPLE, ZERO, null, "ADD"),
  SUB(NUMERIC, 2, false, "-", SIMPLE, NONE, null, "SUB"),
  MUL(NUMERIC, 2, true, "*", MULTIPLY, ONE, null, "MUL"),
  DIV(NUMERIC, 2, false, "/", DIVIDE, NONE, null, "DIV"),
  /** Remainder with the sign of the dividend, like Java's {@code %}. */
  REM(NUMERIC, 2, false, "%", FUNCTION, NONE, null, null),
  MIN(NUMERIC, 2, true, "min", EXTREME, HIGHEST, "min", "MIN"),
  MAX(NUMERIC, 2, true, "max", EXTREME, LOWEST, "max", "MAX"),
  POW(FLOATING, 2, false, "pow", FUNCTION, NONE, "pow", null),
  ATAN2(FLOATING, 2, false, "atan2", FUNCTION, NONE, "atan2", null),
  HYPOT(FLOATING, 2, true, "hypot", FUNCTION, NONE, "hypot", null),
  COPYSIGN(FLOATING, 2, false, "copysign", SEQUENCE, NONE, "copySign", null),
  AND(BITWISE, 2, true, "&", SIMPLE, ONES, null, "AND"),
  OR(BITWISE, 2, true, "|", SIMPLE, ZERO, null, "OR"),
  XOR(BITWISE, 2, true, "^", SIMPLE, ZERO, null, "XOR"),
  /** Left shift; the shift count has the operand's type. */
  SHL(INTEGRAL, 2, false, "<<", SHIFT, NONE, null, "LSHL"),
  SHR(INTEGRAL, 2, false, ">>", SHIFT, NONE, null, "ASHR"),
  USHR(INTEGRAL, 2, false, ">>>", SHIFT, NONE, null, "LSHR"),
  /** Upper half of the unsigned product; I32 only. */
  MULHI(INTEGRAL, 2, true, "mulhi", MULTIPLY_HIGH, NONE, null, null),

  // columns: relation, symbol
  LT(Relation.LESS, "<"),
  LE(Relation.AT_MOST, "<="),
  GT(Relation.GREATER, ">"),
  GE(Relation.AT_LEAST, ">="),
  EQ(Relation.EQUAL, "=="),
  NE(Relation.UNEQUAL, "!="),

  // columns as above
  /** Fused multiply-add {@code a * b + c} with one rounding. */
  FMA(FLOATING, 3, false, "fma", SIMPLE, NONE, "fma", "FMA"),
  /** Selection {@code a ? b : c}: a is BOOL, b and c have the same type; both are evaluated. */
  SELECT(Kind.SELECT, 3, false, "select", BLEND, NONE, null, null),
  /** Conversion to another type; to BOOL means {@code != 0}. */
  CONVERT(CAST, 1, false, "convert", SIMPLE, NONE, null, null),
  /** Reinterpretation of the bits as another type of equal size. */
  BITCAST(CAST, 1, false, "bitcast", FREE, NONE, null, null);

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

  /** Relation that a comparison tests. NaN is neither less than, equal to nor greater than any. */
  public enum Relation {
    LESS,
    AT_MOST,
    GREATER,
    AT_LEAST,
    EQUAL,
    UNEQUAL;

    /** Returns true if the relation holds for operands of which these statements are true. */
    boolean holds(boolean less, boolean equal, boolean greater) {
      return switch (this) {
        case LESS -> less;
        case AT_MOST -> less || equal;
        case GREATER -> greater;
        case AT_LEAST -> greater || equal;
        case EQUAL -> equal;
        case UNEQUAL -> !equal;
      };
    }
  }

  /** Class of execution times on a processor or GPU, cheapest first. */
  public enum Cost {
    /** No instruction. */
    FREE,
    /** One instruction for every type. */
    SIMPLE,
    SHIFT,
    MULTIPLY,
    /** Several instructions with vectors. */
    MULTIPLY_HIGH,
    /** Minimum or maximum: several instructions for floats, because of NaN and -0. */
    EXTREME,
    BLEND,
    /** A few simple instructions. */
    SEQUENCE,
    /** Division or square root. */
    DIVIDE,
    /** Polynomial, or call of a function. */
    FUNCTION
  }

  /** Value e with {@code e op a == a} for all a. */
  enum Identity {
    NONE,
    ZERO,
    ONE,
    LOWEST,
    HIGHEST,
    /** All bits set, or true. */
    ONES
  }

  private final Kind kind;
  private final Relation relation;
  private final int arity;
  private final boolean commutative;
  private final String symbol;
  private final Cost cost;
  private final Identity identity;
  private final String math;
  private final String vector;
  private final String word = name().toLowerCase(Locale.ROOT);

  Op(Relation relation, String symbol) {
    this.kind = COMPARE;
    this.relation = relation;
    this.arity = 2;
    this.commutative = relation == Relation.EQUAL || relation == Relation.UNEQUAL;
    this.symbol = symbol;
    this.cost = SIMPLE;
    this.identity = NONE;
    this.math = null;
    this.vector = name();
  }

  Op(
      Kind kind,
      int arity,
      boolean commutative,
      String symbol,
      Cost cost,
      Identity identity,
      String math,
      String vector) {
    this.kind = kind;
    this.relation = null;
    this.arity = arity;
    this.commutative = commutative;
    this.symbol = symbol;
    this.cost = cost;
    this.identity = identity;
    this.math = math;
    this.vector = vector;
  }

  public Kind kind() {
    return kind;
  }

  /** Relation that a comparison tests; null for other operations. */
  public Relation relation() {
    return relation;
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

  public Cost cost() {
    return cost;
  }

  /** Name of the method of {@link Math} that computes the operation; null if there is none. */
  public String math() {
    return math;
  }

  /** Name of the constant of {@code VectorOperators}; null if there is none. */
  public String vector() {
    return vector;
  }

  /**
   * Returns the bits of the identity, encoded as in {@link Node.Const}; for MIN and MAX of floats,
   * an infinity.
   */
  public long identity(ScalarType type) {
    return switch (identity) {
      case ZERO -> 0;
      case ONE -> bits(type, 1, 1);
      case LOWEST -> extreme(type, Double.NEGATIVE_INFINITY, Integer.MIN_VALUE, Long.MIN_VALUE);
      case HIGHEST -> extreme(type, Double.POSITIVE_INFINITY, Integer.MAX_VALUE, Long.MAX_VALUE);
      case ONES -> type == ScalarType.BOOL ? 1 : -1;
      case NONE -> throw new IllegalArgumentException(this + " has no identity");
    };
  }

  /** Returns the bits of a value without an object, because launches call this method. */
  private static long bits(ScalarType type, double real, long whole) {
    return switch (type) {
      case F32 -> Float.floatToRawIntBits((float) real) & 0xFFFFFFFFL;
      case F64 -> Double.doubleToRawLongBits(real);
      case I32, I64, BOOL -> whole;
      case F16, BF16, I8, U8, I16, U16, U32, U64 ->
          throw new IllegalArgumentException("storage type " + type);
    };
  }

  private static long extreme(ScalarType type, double real, int narrow, long wide) {
    return switch (type) {
      case F32, F64 -> bits(type, real, 0);
      case I32 -> narrow;
      case I64 -> wide;
      case BOOL, F16, BF16, I8, U8, I16, U16, U32, U64 ->
          throw new IllegalArgumentException(type + " has no extremes");
    };
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
