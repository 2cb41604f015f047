package ristretto.kernels.cpu.codegen;

import java.util.function.IntConsumer;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Rows of a tape that need code of their own, and their operands. A call whose only use is as a
 * value of a select is lazy: the select makes the call, for the lanes that choose it, if there are
 * any. Rare cases then cost one test.
 */
final class UseAnalysis {
  private final Tape tape;
  private final boolean[] lazy;

  UseAnalysis(Tape tape) {
    this.tape = tape;
    this.lazy = new boolean[tape.size()];
    int[] uses = new int[tape.size()];
    for (Node node : tape.nodes()) {
      node.forEachOperand(row -> uses[row]++);
    }
    tape.outputs().forEach(row -> uses[row]++);
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Apply n && n.op() == Op.SELECT) {
        lazy[n.b()] = uses[n.b()] == 1 && numeric(tape.node(n.b()));
        lazy[n.c()] = uses[n.c()] == 1 && numeric(tape.node(n.c()));
      }
    }
  }

  private static boolean numeric(Node node) {
    return node instanceof Node.Call call
        && call.type() != ScalarType.BOOL
        && !call.function().parameters().contains(ScalarType.BOOL);
  }

  boolean lazy(int row) {
    return lazy[row];
  }

  /** Returns true if a row is neither constant nor input nor part of another row. */
  boolean computed(int row) {
    return !lazy[row]
        && !(tape.node(row) instanceof Node.Const)
        && !(tape.node(row) instanceof Node.Input);
  }

  /** Visits the rows whose values the code of {@code row} needs. */
  void forEachOperand(int row, IntConsumer visitor) {
    tape.node(row)
        .forEachOperand(operand -> {
          if (lazy[operand]) {
            tape.node(operand).forEachOperand(visitor);
          } else {
            visitor.accept(operand);
          }
        });
  }
}
