package ristretto.expr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import ristretto.kernels.gradient.Adjoint;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Derivative of an element-wise expression with respect to one input, times the output gradient;
 * derived from the tape of an element. Its inputs are only those that the derivative depends on.
 */
final class PointwiseGradient<T> extends RExpr<T> {
  private record Key(Tape tape, List<SlotReads.More> more) {}

  /**
   * Expression that supplies the launch scalars, with its inputs replaced by constants, so that
   * this reference does not keep their tensors alive.
   */
  private final Expr<?> of;

  private final Key key;

  private PointwiseGradient(DType<T> dtype, Expr<?> of, Key key, List<Expr<?>> inputs) {
    super(dtype, of.shape(), inputs);
    this.of = bare(of);
    this.key = key;
  }

  private static Expr<?> bare(Expr<?> e) {
    var none = new ArrayList<Expr<?>>();
    for (Expr<?> in : e.inputs()) {
      none.add(Scalars.filled(in.dtype(), in.shape(), 0));
    }
    return e.withInputs(none);
  }

  /** Gradients for all inputs of {@code e}, in e's shape, or null for no gradient. */
  static <T> List<Expr<?>> of(RExpr<T> e, Expr<T> dy) {
    int n = e.inputs().size();
    if (!e.dtype().isFloat()) {
      return Collections.nCopies(n, null);
    }
    var reads = new SlotReads(e);
    Tape forward;
    try {
      forward = reads.tape().build(e.read(reads).row);
    } catch (SlotReads.NotPointwise x) {
      throw Gradients.missing(e);
    }
    int weight = n + reads.more().size();
    var result = new ArrayList<Expr<?>>();
    for (int k = 0; k < n; k++) {
      Expr<?> input = e.inputs().get(k);
      Tape tape = input.dtype().isFloat() ? Adjoint.of(forward, weight, List.of(k)) : null;
      boolean none =
          tape == null || tape.node(tape.outputs().get(0)) instanceof Node.Const c && c.is(0);
      result.add(none ? null : reading(input.dtype(), e, dy, tape, reads.more(), weight));
    }
    return result;
  }

  /** Creates the gradient expression with only the slots that the tape reads, renumbered. */
  private static <R> Expr<R> reading(
      DType<R> dtype, Expr<?> e, Expr<?> dy, Tape tape, List<SlotReads.More> more, int weight) {
    int n = e.inputs().size();
    if (tape.node(tape.outputs().get(0)) instanceof Node.Input in && in.slot() == weight) {
      return cast(dy, dtype);
    }
    var inputs = new ArrayList<Expr<?>>();
    var others = new ArrayList<SlotReads.More>();
    boolean[] used = new boolean[weight + 1];
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Input in) {
        used[in.slot()] = true;
      }
    }
    int[] slots = new int[weight + 1];
    for (int slot = 0; slot <= weight; slot++) {
      if (used[slot] && (slot < n || slot == weight)) {
        slots[slot] = inputs.size();
        inputs.add(slot < n ? e.inputs().get(slot) : dy);
      }
    }
    for (int slot = n; slot < weight; slot++) {
      if (used[slot]) {
        slots[slot] = inputs.size() + others.size();
        others.add(more.get(slot - n));
      }
    }
    List<Node> nodes =
        tape.nodes().stream()
            .map(node ->
                node instanceof Node.Input in ? new Node.Input(in.type(), slots[in.slot()]) : node)
            .toList();
    var key = new Key(new Tape(nodes, tape.outputs()), List.copyOf(others));
    return new PointwiseGradient<>(dtype, e, key, inputs);
  }

  private static <R> Expr<R> cast(Expr<?> dy, DType<R> dtype) {
    return dy.cast(dtype);
  }

  @Override
  protected Object key() {
    return key;
  }

  @Override
  protected void scalars(ScalarSink sink) {
    of.scalars(sink);
  }

  @Override
  protected Scalar read(Reads in) {
    int[] rows = new int[inputs().size() + key.more.size()];
    for (int k = 0; k < inputs().size(); k++) {
      rows[k] = in.input(k).row;
    }
    for (int k = 0; k < key.more.size(); k++) {
      Scalar value =
          switch (key.more.get(k)) {
            case SlotReads.More.Number m -> in.number(m.k());
            case SlotReads.More.Coordinate m -> in.coordinate(m.axis());
            case SlotReads.More.ElementNumber _ -> in.elementNumber();
          };
      rows[inputs().size() + k] = value.row;
    }
    return in.scalar(in.tape().inline(key.tape, rows)[0]);
  }

  @Override
  public String toString() {
    return "gradient of " + of;
  }
}
