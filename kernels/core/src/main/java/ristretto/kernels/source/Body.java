package ristretto.kernels.source;

import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Rows of a tape as C declarations. Inputs are read into variables too, so that stores that follow
 * change nothing.
 */
final class Body {
  private final Code code;
  private final Tape tape;
  private final Functions functions;
  private final IntFunction<String> inputs;

  /** Calls that only one arm of a select needs: made in that arm. */
  private final BitSet lazy = new BitSet();

  /**
   * @param inputs the text of an input slot
   */
  Body(Code code, Tape tape, Functions functions, IntFunction<String> inputs) {
    this.code = code;
    this.tape = tape;
    this.functions = functions;
    this.inputs = inputs;
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

  /** The rows that {@code roots} are computed from. */
  BitSet needed(List<Integer> roots) {
    var rows = new BitSet();
    roots.forEach(rows::set);
    for (int row = tape.size() - 1; row >= 0; row--) {
      if (rows.get(row)) {
        tape.node(row).forEachOperand(rows::set);
      }
    }
    return rows;
  }

  /** Declares these rows, in order. */
  void emit(BitSet rows) {
    for (int row = rows.nextSetBit(0); row >= 0; row = rows.nextSetBit(row + 1)) {
      if (!(tape.node(row) instanceof Node.Const) && !lazy.get(row)) {
        ScalarType type = tape.node(row).type();
        code.line("const " + Literal.type(type) + " v" + row + " = " + expression(row) + ";");
      }
    }
  }

  /** The row as an operand. */
  String value(int row) {
    if (tape.node(row) instanceof Node.Const c) {
      return Literal.of(c);
    }
    return lazy.get(row) ? expression(row) : "v" + row;
  }

  private String expression(int row) {
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
