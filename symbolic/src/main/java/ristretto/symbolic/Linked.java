package ristretto.symbolic;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;

/**
 * Values of variables for formulas that take gradients across operators. An output's value is the
 * one computed by its operator, in memory or not; its gradient is the operator's backward pass,
 * written as expressions. So both can be differentiated again.
 */
final class Linked {
  private final Context ctx;
  private final Recording recording;
  private final Map<Variable<?>, Expr<?>> outputs = new IdentityHashMap<>();

  Linked(Context ctx, Recording recording) {
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
              (dy, wanted) -> inMemory(recording.across(v, inMemory(dy), wanted)));
      outputs.put(v, known);
    }
    return known;
  }

  private List<Expr<?>> inMemory(List<? extends Expr<?>> parts) {
    var all = new ArrayList<Expr<?>>();
    parts.forEach(part -> all.add(part == null ? null : inMemory(part)));
    return all;
  }

  /**
   * Stores a value in memory if computing it takes more than a few operations, and likewise its
   * gradient, so that readers do not recompute them.
   */
  <T> Expr<T> inMemory(Expr<T> value) {
    return Cost.isCheap(value)
        ? value
        : Gradients.custom(ctx.eval(value), () -> List.of(value), (dy, _) -> List.of(inMemory(dy)));
  }

  /** Forgets all values; the backward pass has its own. */
  void clear() {
    outputs.clear();
  }
}
