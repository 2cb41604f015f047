package ristretto.kernels.scalar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builder of a {@link Tape}. Equal nodes become one row (common subexpression elimination),
 * operations on constants are folded, and the rules of {@link Simplify} are applied; by default all
 * of this preserves the IEEE result bit for bit. Not thread-safe.
 */
public final class TapeBuilder {
  private final List<Node> nodes = new ArrayList<>();
  private final Map<Node, Integer> rows = new HashMap<>();

  public Node node(int row) {
    return nodes.get(row);
  }

  public ScalarType type(int row) {
    return nodes.get(row).type();
  }

  public int size() {
    return nodes.size();
  }

  /** Adds {@code node} unchanged, or finds an equal row; operands must be rows of this builder. */
  public int intern(Node node) {
    Integer row = rows.get(node);
    if (row == null) {
      row = nodes.size();
      nodes.add(node);
      rows.put(node, row);
    }
    return row;
  }

  public int constant(ScalarType type, double value) {
    return intern(Node.Const.of(type, value));
  }

  /** Adds a constant given by its bits, for I64 values that a double cannot represent. */
  public int constantBits(ScalarType type, long bits) {
    return intern(new Node.Const(type, bits));
  }

  public int input(int slot, ScalarType type) {
    return intern(new Node.Input(type, slot));
  }

  public int apply(Op op, int a) {
    return add(op, type(a), a, -1, -1);
  }

  public int apply(Op op, int a, int b) {
    return add(op, op.kind() == Op.Kind.COMPARE ? ScalarType.BOOL : type(a), a, b, -1);
  }

  /** Adds an FMA or SELECT. */
  public int apply(Op op, int a, int b, int c) {
    return add(op, type(b), a, b, c);
  }

  public int convert(int a, ScalarType to) {
    return type(a) == to ? a : add(Op.CONVERT, to, a, -1, -1);
  }

  public int bitcast(int a, ScalarType to) {
    return type(a) == to ? a : add(Op.BITCAST, to, a, -1, -1);
  }

  public int random(Node.Distribution distribution, ScalarType type, int seed, int counter) {
    return intern(new Node.Random(distribution, type, seed, counter));
  }

  public int call(Function function, List<Integer> arguments) {
    return intern(new Node.Call(function, arguments, function.result()));
  }

  private int add(Op op, ScalarType type, int a, int b, int c) {
    if (b >= 0 && c < 0 && op.commutative() && rank(a) > rank(b)) {
      int swap = a;
      a = b;
      b = swap;
    }
    var apply = new Node.Apply(op, type, a, b, c);
    int simpler = Simplify.apply(this, apply);
    return simpler >= 0 ? simpler : intern(apply);
  }

  /**
   * Returns the sort key of an operand of a commutative operation: rows in order, constants last.
   */
  private long rank(int row) {
    return nodes.get(row) instanceof Node.Const ? row + (1L << 32) : row;
  }

  /**
   * Copies {@code tape} into this builder with its input slots replaced by rows.
   *
   * @return the output rows
   */
  public int[] inline(Tape tape, int... inputs) {
    int[] map = new int[tape.size()];
    for (int row = 0; row < map.length; row++) {
      Node node = tape.node(row);
      map[row] = node instanceof Node.Input in ? inputs[in.slot()] : copy(node, map, 0);
    }
    return tape.outputs().stream().mapToInt(row -> map[row]).toArray();
  }

  /**
   * Adds a node of another builder or tape, simplified for its new operands.
   *
   * @param map rows of this builder; entry k is for row {@code first + k} of the other builder or
   *     tape
   */
  public int copy(Node node, int[] map, int first) {
    return switch (node) {
      case Node.Const n -> intern(n);
      case Node.Input n -> intern(n);
      case Node.Apply n ->
          add(
              n.op(),
              n.type(),
              map[n.a() - first],
              n.b() < 0 ? -1 : map[n.b() - first],
              n.c() < 0 ? -1 : map[n.c() - first]);
      case Node.Random n ->
          random(n.distribution(), n.type(), map[n.seed() - first], map[n.counter() - first]);
      case Node.Call n -> {
        var arguments = new ArrayList<Integer>();
        n.arguments().forEach(k -> arguments.add(map[k - first]));
        yield call(n.function(), arguments);
      }
    };
  }

  /** Starts a fragment: rows added later are not merged with equal earlier rows. */
  public void startFragment() {
    rows.clear();
  }

  /** Builds the tape of {@code outputs}, renumbered and without dead rows. */
  public Tape build(int... outputs) {
    boolean[] live = new boolean[nodes.size()];
    for (int row : outputs) {
      live[row] = true;
    }
    for (int row = nodes.size() - 1; row >= 0; row--) {
      if (live[row]) {
        nodes.get(row).forEachOperand(operand -> live[operand] = true);
      }
    }
    int[] map = new int[nodes.size()];
    var kept = new ArrayList<Node>();
    for (int row = 0; row < nodes.size(); row++) {
      if (live[row]) {
        map[row] = kept.size();
        kept.add(renumber(nodes.get(row), map));
      }
    }
    var renumbered = new ArrayList<Integer>();
    for (int row : outputs) {
      renumbered.add(map[row]);
    }
    return new Tape(kept, renumbered);
  }

  /** Returns {@code node} with its operand rows replaced. */
  public static Node renumber(Node node, int[] map) {
    return switch (node) {
      case Node.Const n -> n;
      case Node.Input n -> n;
      case Node.Apply n ->
          new Node.Apply(
              n.op(),
              n.type(),
              map[n.a()],
              n.b() < 0 ? -1 : map[n.b()],
              n.c() < 0 ? -1 : map[n.c()]);
      case Node.Random n ->
          new Node.Random(n.distribution(), n.type(), map[n.seed()], map[n.counter()]);
      case Node.Call n ->
          new Node.Call(n.function(), n.arguments().stream().map(k -> map[k]).toList(), n.type());
    };
  }
}
