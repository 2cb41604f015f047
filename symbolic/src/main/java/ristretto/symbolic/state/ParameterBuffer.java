package ristretto.symbolic.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.Variable;

/**
 * Variables of one dtype in one contiguous buffer: first those with two or more dimensions, then
 * the others by the last part of their names. So the usual groups of an optimizer (biases, norms,
 * layers with a common prefix) are few contiguous ranges.
 */
final class ParameterBuffer<T> {
  private static final Comparator<Variable<?>> ORDER = Comparator.comparing(ParameterBuffer::kind);

  final DType<T> dtype;
  final Tensor<T> all;
  private final List<Variable<?>> variables;
  private final Map<Variable<?>, Tensor<T>> parts = new IdentityHashMap<>();

  ParameterBuffer(Context ctx, DType<T> dtype, List<Variable<?>> variables) {
    this.dtype = dtype;
    this.variables = variables.stream().sorted(ORDER).toList();
    long size = 0;
    for (Variable<?> v : this.variables) {
      size += v.dims().shape().size();
    }
    all = ctx.zeros(dtype, size);
    variables.forEach(v -> parts.put(v, part(v, all)));
  }

  /** Returns the name of the section of the buffer that contains a variable. */
  private static String kind(Variable<?> v) {
    return v.dims().rank() > 1 ? "" : v.name().substring(v.name().lastIndexOf('.') + 1);
  }

  /** Returns a zeroed buffer for the same variables. */
  ParameterBuffer<T> another(Context ctx) {
    return new ParameterBuffer<>(ctx, dtype, variables);
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
  record Range(long from, long to) {}

  /** Returns the maximal contiguous ranges of some variables. */
  List<Range> ranges(Set<Variable<?>> some) {
    var found = new ArrayList<Range>();
    long start = 0;
    for (Variable<?> v : variables) {
      long end = start + v.dims().shape().size();
      if (some.contains(v)) {
        boolean goesOn = !found.isEmpty() && found.getLast().to == start;
        found.add(new Range(goesOn ? found.removeLast().from : start, end));
      }
      start = end;
    }
    return found;
  }

  /** Returns views of the maximal contiguous ranges of some variables. */
  List<Tensor<T>> parts(Set<Variable<?>> some) {
    return ranges(some).stream().map(range -> part(range, all)).toList();
  }

  /**
   * Returns a range of another buffer of the same size: a view, or the buffer itself if the range
   * covers it.
   */
  Tensor<T> part(Range range, Tensor<T> other) {
    boolean whole = range.to - range.from == other.shape().size();
    return whole ? other : other.slice(Ops.range(range.from, range.to));
  }

  /** Returns the view of a variable in another buffer of the same size. */
  @SuppressWarnings("unchecked")
  Tensor<T> part(Variable<?> variable, Tensor<?> other) {
    long start = 0;
    for (Variable<?> v : variables) {
      Shape shape = v.dims().shape();
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
