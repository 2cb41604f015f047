package ristretto.expr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import ristretto.expr.formula.SlotReads;
import ristretto.expr.graph.Forms;
import ristretto.expr.graph.Formula;
import ristretto.expr.graph.PointwiseGradient;
import ristretto.expr.graph.Term;
import ristretto.expr.type.DType;
import ristretto.kernels.gradient.Adjoint;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Derives gradients of element-wise expressions from the tape of an element. The operands of a
 * gradient are only those that the derivative depends on.
 */
final class FormulaGradient {
  private FormulaGradient() {}

  /** Copy with zeros as operands, which supplies launch scalars without keeping tensors alive. */
  static Term bare(Expr<?> e) {
    var none = new ArrayList<Expr<?>>();
    for (Expr<?> in : e.inputs()) {
      none.add(Scalars.filled(in.dtype(), in.shape(), 0));
    }
    return e.withOperands(none);
  }

  /** Gradients for all inputs of {@code e}, in e's shape, or null for no gradient. */
  static <T> List<Expr<?>> of(Expr<T> e, Expr<T> dy) {
    int n = e.inputs().size();
    if (!e.dtype().isFloat()) {
      return Collections.nCopies(n, null);
    }
    var reads = Forms.slots(e);
    Tape forward;
    try {
      forward = reads.tape().build(((Formula) e.operation()).read(e, reads).row());
    } catch (SlotReads.NotPointwise x) {
      throw e.noDerivative();
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
    var code = new PointwiseGradient.Code(new Tape(nodes, tape.outputs()), others);
    return new Computed<>(new PointwiseGradient(bare(e), code), dtype, e.shape(), inputs);
  }

  private static <R> Expr<R> cast(Expr<?> dy, DType<R> dtype) {
    return dy.cast(dtype);
  }
}
