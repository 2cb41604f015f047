package ristretto.symbolic;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;

/** Variables of one dtype in one piece of memory, one after another. */
final class Flat<T> {
  final DType<T> dtype;
  final Tensor<T> all;
  private final List<Variable<?>> variables;
  private final Map<Variable<?>, Tensor<T>> parts = new IdentityHashMap<>();

  Flat(Context ctx, DType<T> dtype, List<Variable<?>> variables) {
    this.dtype = dtype;
    this.variables = variables;
    long size = 0;
    for (Variable<?> v : variables) {
      size += v.dims().with(0).size();
    }
    all = ctx.zeros(dtype, size);
    variables.forEach(v -> parts.put(v, part(v, all)));
  }

  /** Memory for the same variables, zeros. */
  Flat<T> another(Context ctx) {
    return new Flat<>(ctx, dtype, variables);
  }

  /** Zeros, as many as there are elements, {@code count} times. */
  List<Tensor<?>> zeros(Context ctx, int count) {
    var fresh = new ArrayList<Tensor<?>>();
    for (int k = 0; k < count; k++) {
      fresh.add(ctx.zeros(dtype, all.shape()));
    }
    return fresh;
  }

  /** In their order. */
  List<Variable<?>> variables() {
    return variables;
  }

  /** Elements of variables that lie one after another. */
  record Stretch(long from, long to) {}

  /** The longest stretches of some variables. */
  List<Stretch> stretches(Set<Variable<?>> some) {
    var found = new ArrayList<Stretch>();
    long start = 0;
    for (Variable<?> v : variables) {
      long end = start + v.dims().with(0).size();
      if (some.contains(v)) {
        boolean goesOn = !found.isEmpty() && found.getLast().to == start;
        found.add(new Stretch(goesOn ? found.removeLast().from : start, end));
      }
      start = end;
    }
    return found;
  }

  /** A stretch of other memory of the same size: a view, or all of it. */
  Tensor<T> part(Stretch stretch, Tensor<T> other) {
    boolean whole = stretch.to - stretch.from == other.shape().size();
    return whole ? other : other.slice(Ops.range(stretch.from, stretch.to));
  }

  /** The part of a variable in other memory of the same size, a view. */
  @SuppressWarnings("unchecked")
  Tensor<T> part(Variable<?> variable, Tensor<?> other) {
    long start = 0;
    for (Variable<?> v : variables) {
      Shape shape = v.dims().with(0);
      if (v == variable) {
        var all = (Tensor<T>) other;
        return all.slice(Ops.range(start, start + shape.size())).reshape(shape.toArray());
      }
      start += shape.size();
    }
    throw new IllegalArgumentException(variable.toString());
  }

  /** The part of a variable, a view. */
  Tensor<T> part(Variable<?> variable) {
    return parts.get(variable);
  }
}
