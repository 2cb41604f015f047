package ristretto.kernels.scalar;

import java.util.List;

/**
 * Checks the rules of the scalar IR; a violation is a bug of the pass that made the tape or
 * function.
 */
final class VerifyTape {
  private VerifyTape() {}

  static void check(Tape tape) {
    List<Node> nodes = tape.nodes();
    for (int row = 0; row < nodes.size(); row++) {
      Node node = nodes.get(row);
      int self = row;
      node.forEachOperand(operand ->
          require(operand >= 0 && operand < self, tape, self, "operands come before their user"));
      require(!node.type().isStorageOnly(), tape, row, "storage types do not appear in a tape");
      switch (node) {
        case Node.Const _ -> {}
        case Node.Input n -> require(n.slot() >= 0, tape, row, "slots are not negative");
        case Node.Apply n -> checkApply(tape, row, n);
        case Node.Random n -> {
          boolean wide =
              nodes.get(n.seed()).type() == ScalarType.I64
                  && nodes.get(n.counter()).type() == ScalarType.I64;
          require(wide, tape, row, "seed and counter are i64");
          boolean bits = n.distribution() == Node.Distribution.BITS;
          require(
              bits ? n.type().isInteger() : n.type().isFloat(),
              tape,
              row,
              n.distribution() + " of " + n.type());
        }
        case Node.Call n -> {
          require(
              n.arguments().size() == n.function().parameters().size(),
              tape,
              row,
              "argument count");
          for (int k = 0; k < n.arguments().size(); k++) {
            require(
                nodes.get(n.arguments().get(k)).type() == n.function().parameters().get(k),
                tape,
                row,
                "argument type");
          }
          require(n.type() == n.function().result(), tape, row, "result type");
        }
      }
    }
    for (int row : tape.outputs()) {
      require(row >= 0 && row < nodes.size(), tape, row, "outputs are rows");
    }
  }

  static void check(Function f) {
    int parameters = f.parameters().size();
    require(
        f.locals().size() >= parameters && f.locals().subList(0, parameters).equals(f.parameters()),
        f,
        "the first locals are the parameters");
    require(!f.blocks().isEmpty(), f, "there is a first block");
    for (int k = 0; k < f.blocks().size(); k++) {
      Function.Block block = f.blocks().get(k);
      String where = "block " + k + ": ";
      for (Node node : block.tape().nodes()) {
        require(!(node instanceof Node.Random), f, where + "functions draw no random numbers");
        if (node instanceof Node.Input in) {
          require(
              in.slot() < f.locals().size() && f.locals().get(in.slot()) == in.type(),
              f,
              where + "inputs are locals of their type");
        }
      }
      require(
          block.targets().size() <= block.tape().outputs().size(),
          f,
          where + "every target has an output");
      for (int t = 0; t < block.targets().size(); t++) {
        int local = block.targets().get(t);
        require(
            local >= 0
                && local < f.locals().size()
                && f.locals().get(local) == block.tape().outputType(t),
            f,
            where + "targets are locals of their output's type");
      }
      checkEnd(f, block, where);
    }
  }

  private static void checkEnd(Function f, Function.Block block, String where) {
    int blocks = f.blocks().size();
    switch (block.end()) {
      case Function.End.Jump e ->
          require(e.block() >= 0 && e.block() < blocks, f, where + "jumps lead to blocks");
      case Function.End.Branch e -> {
        boolean inside =
            e.then() >= 0 && e.then() < blocks && e.otherwise() >= 0 && e.otherwise() < blocks;
        require(inside, f, where + "branches lead to blocks");
        require(
            outputType(block, e.output()) == ScalarType.BOOL,
            f,
            where + "a condition is a bool output");
      }
      case Function.End.Return e ->
          require(
              outputType(block, e.output()) == f.result(),
              f,
              where + "the result has the function's type");
    }
  }

  /** Returns the type of a block's output, or null if it has no such output. */
  private static ScalarType outputType(Function.Block block, int output) {
    return output >= 0 && output < block.tape().outputs().size()
        ? block.tape().outputType(output)
        : null;
  }

  private static void require(boolean holds, Function f, String rule) {
    if (!holds) {
      throw new IllegalStateException(
          "[verify] %s; in function %s; this is a bug of Ristretto, please report it\n%s"
              .formatted(rule, f.name(), f));
    }
  }

  private static void checkApply(Tape tape, int row, Node.Apply n) {
    Op op = n.op();
    boolean arity = n.b() >= 0 == op.arity() > 1 && n.c() >= 0 == op.arity() > 2;
    require(arity, tape, row, "arity of " + op);
    ScalarType a = tape.node(n.a()).type();
    switch (op.kind()) {
      case CAST ->
          require(
              op == Op.CONVERT || a.bytes() == n.type().bytes(),
              tape,
              row,
              "bitcast keeps the size");
      case SELECT -> {
        require(a == ScalarType.BOOL, tape, row, "select's condition is bool");
        require(
            tape.node(n.b()).type() == n.type() && tape.node(n.c()).type() == n.type(),
            tape,
            row,
            "select's types");
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
        excerpt
            .append(i == row ? "> %" : "  %")
            .append(i)
            .append(" = ")
            .append(nodes.get(i))
            .append('\n');
      }
      throw new IllegalStateException(
          "[verify] %s; at row %%%s; this is a bug of Ristretto, please report it\n%s"
              .formatted(rule, row, excerpt));
    }
  }
}
