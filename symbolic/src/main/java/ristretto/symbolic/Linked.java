package ristretto.symbolic;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;

/**
 * Values of variables for formulas that take gradients across operators. An output has its value
 * from wherever that is, be it memory, and its gradient from the backward pass of its operator,
 * written as expressions: so both may be differentiated again.
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
   * Puts a value into memory where it takes more than a few operations, as does its gradient, so
   * that neither is computed again for each of its readers.
   */
  <T> Expr<T> inMemory(Expr<T> value) {
    return Cost.isCheap(value)
        ? value
        : Gradients.custom(ctx.eval(value), () -> List.of(value), (dy, _) -> List.of(inMemory(dy)));
  }

  /** Lets go of all values, which are others in the backward pass. */
  void clear() {
    outputs.clear();
  }
}
