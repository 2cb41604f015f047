package ristretto.kernels.scalar;

import java.util.ArrayList;
import java.util.List;

/**
 * Immutable list of {@link Node}s, each after its operands, and the output rows. Equality is by
 * content; every kernel cache key contains a tape.
 */
public final class Tape {
  private final List<Node> nodes;
  private final List<Integer> outputs;
  private final int hash;

  /** Creates a tape and checks every rule of the IR; see {@link VerifyTape}. */
  public Tape(List<Node> nodes, List<Integer> outputs) {
    this.nodes = List.copyOf(nodes);
    this.outputs = List.copyOf(outputs);
    this.hash = 31 * this.nodes.hashCode() + this.outputs.hashCode();
    VerifyTape.check(this);
  }

  public List<Node> nodes() {
    return nodes;
  }

  public Node node(int row) {
    return nodes.get(row);
  }

  /** Number of rows. */
  public int size() {
    return nodes.size();
  }

  /** Rows whose values the kernel stores or reduces, in order; a row may occur several times. */
  public List<Integer> outputs() {
    return outputs;
  }

  public ScalarType outputType(int k) {
    return nodes.get(outputs.get(k)).type();
  }

  /** Number of input slots: the largest slot plus one. */
  public int slots() {
    int n = 0;
    for (Node node : nodes) {
      if (node instanceof Node.Input in) {
        n = Math.max(n, in.slot() + 1);
      }
    }
    return n;
  }

  /** Number of rows other than constants and inputs. */
  public int operations() {
    int n = 0;
    for (Node node : nodes) {
      if (!(node instanceof Node.Const) && !(node instanceof Node.Input)) {
        n++;
      }
    }
    return n;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Tape t
        && hash == t.hash
        && nodes.equals(t.nodes)
        && outputs.equals(t.outputs);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** Formats one row per line, such as {@code %3 f32 = fma %0 %1 %2}; outputs last. */
  @Override
  public String toString() {
    var text = new StringBuilder();
    for (int i = 0; i < nodes.size(); i++) {
      text.append('%').append(i).append(' ').append(nodes.get(i).type().label()).append(" = ");
      switch (nodes.get(i)) {
        case Node.Const n ->
            text.append("const ").append(n.type().isFloat() ? "" + n.asDouble() : "" + n.bits());
        case Node.Input n -> text.append("input ").append(n.slot());
        case Node.Apply n -> text.append(n.op().word());
        case Node.Random n -> text.append("random ").append(n.distribution());
        case Node.Call n -> text.append("call ").append(n.function().name());
      }
      nodes.get(i).forEachOperand(row -> text.append(" %").append(row));
      text.append('\n');
    }
    var names = new ArrayList<String>();
    outputs.forEach(row -> names.add("%" + row));
    return text.append("outputs ").append(String.join(" ", names)).append('\n').toString();
  }
}
