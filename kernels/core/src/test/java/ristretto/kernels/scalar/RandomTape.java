package ristretto.kernels.scalar;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A tape and values for its inputs, spelled by a list of numbers: every number decides one thing,
 * so that a shorter list is a smaller tape and jqwik's shrinking finds the smallest one that fails.
 * The rows are as written: nothing is folded or simplified. Every row is an output.
 */
final class RandomTape {
  private static final List<ScalarType> TYPES = List.of(F32, F64, I32, I64, BOOL);
  private static final List<Op> WITH_RULES =
      List.of(Op.CONVERT, Op.SELECT, Op.MUL, Op.ADD, Op.SUB, Op.DIV, Op.POW, Op.NEG);
  private static final int SLOTS_PER_TYPE = 2;

  final Tape tape;
  private final List<Object> inputs = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();

  RandomTape(List<Integer> choices) {
    for (ScalarType type : TYPES) {
      for (int k = 0; k < SLOTS_PER_TYPE; k++) {
        nodes.add(new Node.Input(type, inputs.size()));
        inputs.add(ScalarOps.convert(k, type));
      }
    }
    var rest = new ArrayList<>(choices).iterator();
    for (int slot = 0; slot < inputs.size(); slot++) {
      ScalarType type = nodes.get(slot).type();
      inputs.set(slot, pick(SpecialValues.of(type), next(rest)));
    }
    while (rest.hasNext()) {
      add(rest);
    }
    tape = new Tape(nodes, IntStream.range(0, nodes.size()).boxed().toList());
  }

  Object input(int slot) {
    return inputs.get(slot);
  }

  private void add(Iterator<Integer> rest) {
    int what = next(rest);
    if (what % 4 == 0) {
      ScalarType type = pick(TYPES, next(rest));
      // Mostly the first few: 0, -0, 1, -1, a half, two.
      int limit = what % 3 == 0 ? 100 : 6;
      nodes.add(new Node.Const(type, pick(SpecialValues.bits(type), next(rest) % limit)));
      return;
    }
    List<Op> ops = what % 4 == 1 ? WITH_RULES : List.of(Op.values());
    Op op = pick(ops, next(rest));
    List<ScalarType> types = TYPES.stream().filter(op::accepts).toList();
    ScalarType type = pick(types, next(rest));
    switch (op.kind()) {
      case CAST -> {
        List<ScalarType> to =
            TYPES.stream()
                .filter(t -> t != type && (op == Op.CONVERT || t.bytes() == type.bytes()))
                .toList();
        if (!to.isEmpty()) {
          nodes.add(new Node.Apply(op, pick(to, next(rest)), row(type, rest), -1, -1));
        }
      }
      case SELECT ->
          nodes.add(new Node.Apply(op, type, row(BOOL, rest), row(type, rest), row(type, rest)));
      default ->
          nodes.add(
              new Node.Apply(
                  op,
                  op.kind() == Op.Kind.COMPARE ? BOOL : type,
                  row(type, rest),
                  op.arity() > 1 ? row(type, rest) : -1,
                  op.arity() > 2 ? row(type, rest) : -1));
    }
  }

  /** A row of this type, rather a late one. */
  private int row(ScalarType type, Iterator<Integer> rest) {
    var rows = new ArrayList<Integer>();
    for (int row = nodes.size() - 1; row >= 0; row--) {
      if (nodes.get(row).type() == type) {
        rows.add(row);
      }
    }
    int choice = next(rest);
    return choice % 2 == 0 ? rows.getFirst() : pick(rows, choice / 2);
  }

  private static int next(Iterator<Integer> rest) {
    return rest.hasNext() ? rest.next() : 0;
  }

  private static <T> T pick(List<T> list, int choice) {
    return list.get(Math.floorMod(choice, list.size()));
  }
}
