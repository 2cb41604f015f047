package ristretto.kernels.lift;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.I32;

import java.util.HashMap;
import java.util.Map;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Tape builder that reverses the JVM's encoding of logic, where booleans are the ints 0 and 1,
 * comparisons are branches or ints from -1 to 1, and conditions are nested branches. Encoded rows
 * get their BOOL form back, and nested selects of short-circuit conditions become AND and OR.
 */
final class Logic {
  private final TapeBuilder tape;

  /** BOOL rows by the I32 rows that are known to be 0 or 1. */
  private final Map<Integer, Integer> booleans = new HashMap<>();

  /** Comparisons by the I32 rows that are results of lcmp, fcmpl, fcmpg, dcmpl or dcmpg. */
  private final Map<Integer, Comparison> comparisons = new HashMap<>();

  /**
   * Three-way comparison.
   *
   * @param nan result if an operand is NaN: -1 or 1; 0 for longs
   */
  private record Comparison(int a, int b, int nan) {}

  Logic(TapeBuilder tape) {
    this.tape = tape;
    for (int value = 0; value <= 1; value++) {
      booleans.put(tape.constant(I32, value), constant(value == 1));
    }
  }

  TapeBuilder tape() {
    return tape;
  }

  int constant(boolean value) {
    return tape.constant(BOOL, value ? 1 : 0);
  }

  private boolean is(int row, boolean value) {
    return tape.node(row) instanceof Node.Const c && (c.bits() != 0) == value;
  }

  boolean isTrue(int row) {
    return is(row, true);
  }

  boolean isFalse(int row) {
    return is(row, false);
  }

  /** Converts a BOOL row to the JVM's int. */
  int fromBool(int row) {
    int number = tape.convert(row, I32);
    booleans.put(number, row);
    return number;
  }

  /** Converts a JVM boolean to a BOOL row. */
  int toBool(int row) {
    return compareWithZero(Op.NE, row);
  }

  /** Returns the row of an lcmp, fcmpl, fcmpg, dcmpl or dcmpg. */
  int threeWay(int a, int b, int nan) {
    int minus = tape.constant(I32, -1);
    int less = tape.apply(Op.LT, a, b);
    int greater = tape.apply(Op.GT, a, b);
    int row =
        nan > 0
            ? select(
                less,
                minus,
                select(tape.apply(Op.EQ, a, b), tape.constant(I32, 0), tape.constant(I32, 1)))
            : select(
                greater,
                tape.constant(I32, 1),
                select(tape.apply(Op.EQ, a, b), tape.constant(I32, 0), minus));
    if (!(tape.node(row) instanceof Node.Const)) {
      comparisons.put(row, new Comparison(a, b, nan));
    }
    return row;
  }

  /** Returns the row of {@code row op 0} for an I32 row and a comparison. */
  int compareWithZero(Op op, int row) {
    Comparison c = comparisons.get(row);
    if (c != null) {
      // A comparison that is true for NaN is the negation of the opposite comparison.
      boolean trueForNan =
          c.nan < 0 && (op == Op.LT || op == Op.LE) || c.nan > 0 && (op == Op.GT || op == Op.GE);
      return trueForNan ? not(tape.apply(opposite(op), c.a, c.b)) : tape.apply(op, c.a, c.b);
    }
    Integer bool = booleans.get(row);
    if (bool != null && op == Op.NE) {
      return bool;
    }
    if (bool != null && op == Op.EQ) {
      return not(bool);
    }
    return tape.apply(op, row, tape.constant(I32, 0));
  }

  static Op opposite(Op comparison) {
    return switch (comparison.relation()) {
      case LESS -> Op.GE;
      case AT_MOST -> Op.GT;
      case GREATER -> Op.LE;
      case AT_LEAST -> Op.LT;
      case EQUAL -> Op.NE;
      case UNEQUAL -> Op.EQ;
    };
  }

  int not(int row) {
    if (tape.node(row) instanceof Node.Apply n) {
      boolean exact = n.op() == Op.EQ || n.op() == Op.NE;
      if (exact || n.op().kind() == Op.Kind.COMPARE && !tape.type(n.a()).isFloat()) {
        return tape.apply(opposite(n.op()), n.a(), n.b());
      }
    }
    return tape.apply(Op.NOT, row);
  }

  int and(int a, int b) {
    return isFalse(a) || isTrue(b) ? a : isFalse(b) || isTrue(a) ? b : tape.apply(Op.AND, a, b);
  }

  int or(int a, int b) {
    return isTrue(a) || isFalse(b) ? a : isTrue(b) || isFalse(a) ? b : tape.apply(Op.OR, a, b);
  }

  /**
   * Returns the row of an iand, ior or ixor, which is a logical operation if both operands are
   * booleans.
   */
  int bitwise(Op op, int a, int b) {
    Integer p = booleans.get(a);
    Integer q = booleans.get(b);
    if (p == null || q == null) {
      return tape.apply(op, a, b);
    }
    return fromBool(op == Op.AND ? and(p, q) : op == Op.OR ? or(p, q) : xor(p, q));
  }

  private int xor(int a, int b) {
    return isTrue(b) ? not(a) : isTrue(a) ? not(b) : tape.apply(Op.XOR, a, b);
  }

  /** Returns the row of {@code condition ? a : b}. */
  int select(int condition, int a, int b) {
    if (a == b || isTrue(condition)) {
      return a;
    }
    if (isFalse(condition)) {
      return b;
    }
    ScalarType type = tape.type(a);
    if (type == BOOL) {
      int logical = selectBool(condition, a, b);
      if (logical >= 0) {
        return logical;
      }
    }
    if (tape.node(b) instanceof Node.Apply n && n.op() == Op.SELECT) {
      if (n.b() == a) {
        return select(or(condition, n.a()), a, n.c());
      }
      if (n.c() == a) {
        return select(or(condition, not(n.a())), a, n.b());
      }
    }
    if (tape.node(a) instanceof Node.Apply n && n.op() == Op.SELECT) {
      if (n.c() == b) {
        return select(and(condition, n.a()), n.b(), b);
      }
      if (n.b() == b) {
        return select(and(condition, not(n.a())), n.c(), b);
      }
    }
    int row = tape.apply(Op.SELECT, condition, a, b);
    if (type == I32) {
      Integer p = booleans.get(a);
      Integer q = booleans.get(b);
      if (p != null && q != null) {
        int bool = select(condition, p, q);
        row = tape.convert(bool, I32);
        booleans.put(row, bool);
      }
    }
    return row;
  }

  private int selectBool(int condition, int a, int b) {
    if (isTrue(a)) {
      return or(condition, b);
    }
    if (isFalse(a)) {
      return and(not(condition), b);
    }
    if (isTrue(b)) {
      return or(not(condition), a);
    }
    return isFalse(b) ? and(condition, a) : -1;
  }
}
