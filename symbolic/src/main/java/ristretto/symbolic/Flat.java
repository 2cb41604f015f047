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

/** Variables of one dtype in one contiguous buffer. */
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

  /** Returns a zeroed buffer for the same variables. */
  Flat<T> another(Context ctx) {
    return new Flat<>(ctx, dtype, variables);
  }

  /** Returns {@code count} zeroed tensors of the same size. */
  List<Tensor<?>> zeros(Context ctx, int count) {
    var fresh = new ArrayList<Tensor<?>>();
    for (int k = 0; k < count; k++) {
      fresh.add(ctx.zeros(dtype, all.shape()));
    }
    return fresh;
  }

  /** Returns the variables in the order of their offsets. */
  List<Variable<?>> variables() {
    return variables;
  }

  /** Contiguous range of elements, {@code from} to {@code to - 1}. */
  record Stretch(long from, long to) {}

  /** Returns the maximal contiguous ranges of some variables. */
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

  /**
   * Returns a range of another buffer of the same size: a view, or the buffer itself if the range
   * covers it.
   */
  Tensor<T> part(Stretch stretch, Tensor<T> other) {
    boolean whole = stretch.to - stretch.from == other.shape().size();
    return whole ? other : other.slice(Ops.range(stretch.from, stretch.to));
  }

  /** Returns the view of a variable in another buffer of the same size. */
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

  /** Returns the view of a variable in this buffer, or null. */
  Tensor<T> part(Variable<?> variable) {
    return parts.get(variable);
  }
}
