package ristretto.symbolic.run;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.symbolic.graph.Variable;

/**
 * Values of variables for formulas that take gradients across operators. An output's value is the
 * one computed by its operator, in memory or not; its gradient is the operator's backward pass,
 * written as expressions. So both can be differentiated again.
 */
final class DifferentiableValues {
  private final Context ctx;
  private final Recording recording;
  private final Map<Variable<?>, Expr<?>> outputs = new IdentityHashMap<>();

  DifferentiableValues(Context ctx, Recording recording) {
    this.ctx = ctx;
    this.recording = recording;
  }

  @SuppressWarnings("unchecked")
  <T> Expr<T> get(Variable<T> v) {
    if (v.kind() != Variable.Kind.OUTPUT) {
      return recording.plain(v);
    }
    var known = (Expr<T>) outputs.get(v);
    if (known == null) {
      known =
          Gradients.custom(
              recording.plain(v),
              () -> v.owner().inputs().stream().<Expr<?>>map(this::get).toList(),
              (dy, wanted) -> materialize(recording.across(v, materialize(dy), wanted)));
      outputs.put(v, known);
    }
    return known;
  }

  private List<Expr<?>> materialize(List<? extends Expr<?>> parts) {
    var all = new ArrayList<Expr<?>>();
    parts.forEach(part -> all.add(part == null ? null : materialize(part)));
    return all;
  }

  /**
   * Stores a value in memory if computing it takes more than a few operations, and likewise its
   * gradient, so that readers do not recompute them.
   */
  <T> Expr<T> materialize(Expr<T> value) {
    return RecomputeCost.isCheap(value)
        ? value
        : Gradients.custom(
            ctx.eval(value), () -> List.of(value), (dy, _) -> List.of(materialize(dy)));
  }

  /** Forgets all values; the backward pass has its own. */
  void clear() {
    outputs.clear();
  }
}
