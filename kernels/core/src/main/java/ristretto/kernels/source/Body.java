package ristretto.kernels.source;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Renders rows of a tape as C declarations. Inputs are copied to variables too, so that later
 * stores do not change them.
 */
final class Body {
  private final Code code;
  private final Tape tape;
  private final Functions functions;
  private final IntFunction<String> inputs;

  /** Calls that only one arm of a select uses; they are evaluated in that arm. */
  private final BitSet lazy;

  /** Expressions of the rows that are in memory, by row. */
  private final Map<Integer, String> known;

  /**
   * Name of the variable that is set where a rare call would be needed; null if such calls are
   * made.
   */
  private final String rare;

  /**
   * Creates the body of a tape.
   *
   * @param inputs returns the expression of an input slot
   */
  Body(Code code, Tape tape, Functions functions, IntFunction<String> inputs) {
    this.code = code;
    this.tape = tape;
    this.functions = functions;
    this.inputs = inputs;
    this.lazy = new BitSet();
    this.known = new HashMap<>();
    this.rare = null;
    int[] uses = new int[tape.size()];
    tape.outputs().forEach(row -> uses[row]++);
    for (Node node : tape.nodes()) {
      node.forEachOperand(row -> uses[row]++);
    }
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Apply n && n.op() == Op.SELECT) {
        for (int arm : new int[] {n.b(), n.c()}) {
          if (uses[arm] == 1 && tape.node(arm) instanceof Node.Call) {
            lazy.set(arm);
          }
        }
      }
    }
  }

  private Body(Body other, String rare) {
    this.code = other.code;
    this.tape = other.tape;
    this.functions = other.functions;
    this.inputs = other.inputs;
    this.lazy = other.lazy;
    this.known = other.known;
    this.rare = rare;
  }

  /**
   * Returns a body that uses the formulas for usual arguments everywhere, and sets the variable
   * {@code flag} where such a formula does not suffice.
   */
  Body usual(String flag) {
    return new Body(this, flag);
  }

  /** Returns true if some of these rows have separate formulas for unusual arguments. */
  boolean hasRare(BitSet rows) {
    return rows.stream().anyMatch(row -> !known.containsKey(row) && rareArm(row) >= 0);
  }

  /**
   * Returns the arm of a select that is rarely taken, a call of a function without loops; -1 if
   * there is none.
   */
  private int rareArm(int row) {
    if (tape.node(row) instanceof Node.Apply n && n.op() == Op.SELECT) {
      for (int arm : new int[] {n.b(), n.c()}) {
        if (lazy.get(arm)
            && tape.node(arm) instanceof Node.Call call
            && call.function().blocks().size() == 1) {
          return arm;
        }
      }
    }
    return -1;
  }

  /** Declares that {@code row} is from now on read from memory by the expression {@code text}. */
  void keep(int row, String text) {
    known.put(row, text);
  }

  /** Returns true if the row is evaluated only where it is used. */
  boolean isLazy(int row) {
    return lazy.get(row);
  }

  boolean isKept(int row) {
    return known.containsKey(row);
  }

  /** Returns the rows on which {@code roots} depend, including {@code roots}. */
  BitSet needed(List<Integer> roots) {
    var rows = new BitSet();
    roots.forEach(rows::set);
    for (int row = tape.size() - 1; row >= 0; row--) {
      if (rows.get(row) && !known.containsKey(row)) {
        tape.node(row).forEachOperand(rows::set);
      }
    }
    return rows;
  }

  /** Declares the variables of these rows, in order. */
  void emit(BitSet rows) {
    for (int row = rows.nextSetBit(0); row >= 0; row = rows.nextSetBit(row + 1)) {
      if (!(tape.node(row) instanceof Node.Const) && !lazy.get(row)) {
        ScalarType type = tape.node(row).type();
        code.line("const " + Literal.type(type) + " v" + row + " = " + expression(row) + ";");
        int arm = rare == null || known.containsKey(row) ? -1 : rareArm(row);
        if (arm >= 0 && tape.node(row) instanceof Node.Apply n) {
          code.line(rare + " |= " + (arm == n.b() ? "" : "!") + value(n.a()) + ";");
        }
      }
    }
  }

  /** Returns the expression of a row as an operand. */
  String value(int row) {
    if (tape.node(row) instanceof Node.Const c) {
      return Literal.of(c);
    }
    return lazy.get(row) ? expression(row) : "v" + row;
  }

  private String expression(int row) {
    if (known.containsKey(row)) {
      return known.get(row);
    }
    int arm = rare == null ? -1 : rareArm(row);
    if (arm >= 0 && tape.node(row) instanceof Node.Apply n) {
      return value(arm == n.b() ? n.c() : n.b());
    }
    return switch (tape.node(row)) {
      case Node.Const c -> Literal.of(c);
      case Node.Input in -> inputs.apply(in.slot());
      case Node.Apply n ->
          Operation.text(
              n.op(),
              n.type(),
              tape.node(n.a()).type(),
              value(n.a()),
              n.b() < 0 ? "" : value(n.b()),
              n.c() < 0 ? "" : value(n.c()));
      case Node.Call n ->
          functions.name(n.function())
              + "("
              + String.join(", ", n.arguments().stream().map(this::value).toList())
              + ")";
      case Node.Random n -> throw new IllegalStateException("not expanded: " + n);
    };
  }
}
