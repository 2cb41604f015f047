package ristretto.kernels.scalar;

import java.util.List;

/** Checks the rules of the scalar IR; a violation is a bug of the pass that made the tape. */
final class VerifyTape {
  private VerifyTape() {}

  static void check(Tape tape) {
    List<Node> nodes = tape.nodes();
    for (int row = 0; row < nodes.size(); row++) {
      Node node = nodes.get(row);
      int self = row;
      node.forEachOperand(
          operand -> require(operand >= 0 && operand < self, tape, self, "operands come before their user"));
      require(!node.type().isStorageOnly(), tape, row, "storage types do not appear in a tape");
      switch (node) {
        case Node.Const _ -> {}
        case Node.Input n -> require(n.slot() >= 0, tape, row, "slots are not negative");
        case Node.Apply n -> checkApply(tape, row, n);
        case Node.Random n ->
            require(
                nodes.get(n.seed()).type() == ScalarType.I64 && nodes.get(n.counter()).type() == ScalarType.I64,
                tape,
                row,
                "seed and counter are i64");
        case Node.Call n -> {
          require(n.arguments().size() == n.function().parameters().size(), tape, row, "argument count");
          for (int k = 0; k < n.arguments().size(); k++) {
            require(
                nodes.get(n.arguments().get(k)).type() == n.function().parameters().get(k), tape, row, "argument type");
          }
          require(n.type() == n.function().result(), tape, row, "result type");
        }
      }
    }
    for (int row : tape.outputs()) {
      require(row >= 0 && row < nodes.size(), tape, row, "outputs are rows");
    }
  }

  private static void checkApply(Tape tape, int row, Node.Apply n) {
    Op op = n.op();
    int operands = (n.a() >= 0 ? 1 : 0) + (n.b() >= 0 ? 1 : 0) + (n.c() >= 0 ? 1 : 0);
    require(operands == op.arity(), tape, row, "arity of " + op);
    ScalarType a = tape.node(n.a()).type();
    switch (op.kind()) {
      case CAST ->
          require(op == Op.CONVERT || a.bytes() == n.type().bytes(), tape, row, "bitcast keeps the size");
      case SELECT -> {
        require(a == ScalarType.BOOL, tape, row, "select's condition is bool");
        require(
            tape.node(n.b()).type() == n.type() && tape.node(n.c()).type() == n.type(), tape, row, "select's types");
      }
      case COMPARE -> {
        require(op.accepts(a) && tape.node(n.b()).type() == a, tape, row, "compared types");
        require(n.type() == ScalarType.BOOL, tape, row, "a comparison is bool");
      }
      case NUMERIC, FLOATING, INTEGRAL, LOGICAL, BITWISE -> {
        require(op.accepts(a) && n.type() == a, tape, row, op + " on " + a);
        require(n.b() < 0 || tape.node(n.b()).type() == a, tape, row, "operand types of " + op);
        require(n.c() < 0 || tape.node(n.c()).type() == a, tape, row, "operand types of " + op);
      }
    }
  }

  private static void require(boolean holds, Tape tape, int row, String rule) {
    if (!holds) {
      int from = Math.max(0, row - 10);
      var excerpt = new StringBuilder();
      List<Node> nodes = tape.nodes();
      for (int i = from; i < Math.min(nodes.size(), row + 11); i++) {
        excerpt.append(i == row ? "> %" : "  %").append(i).append(" = ").append(nodes.get(i)).append('\n');
      }
      throw new IllegalStateException(
          "[verify] " + rule + "; at row %" + row + "; this is a bug of Ristretto, please report it\n" + excerpt);
    }
  }
}
