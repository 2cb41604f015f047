package ristretto.symbolic;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/** What an executor's inputs are given, in memory that is the same for the same shape. */
final class Inputs {
  private final Context ctx;
  private final Map<Variable<?>, Map<Shape, Tensor<?>>> memory = new IdentityHashMap<>();
  private final Map<Variable<?>, Tensor<?>> given = new IdentityHashMap<>();

  Inputs(Context ctx) {
    this.ctx = ctx;
  }

  <T> void set(Variable<T> input, Expr<T> value) {
    require(input, value.shape());
    Tensor<T> room = room(input, value.shape());
    ctx.assign(room, value);
    given.put(input, room);
  }

  void set(Variable<?> input, MemorySegment values, Shape shape) {
    require(input, shape);
    Tensor<?> room = room(input, shape);
    ctx.copy(values, room);
    given.put(input, room);
  }

  /** The tensor itself instead of a copy. */
  void use(Variable<?> input, Tensor<?> value) {
    given.put(input, value);
  }

  /** What it was given last, or null. */
  Tensor<?> get(Variable<?> input) {
    return given.get(input);
  }

  /** Allocates nothing if all of them are given. */
  void require(List<Variable<?>> inputs) {
    for (int k = 0; k < inputs.size(); k++) {
      if (!given.containsKey(inputs.get(k))) {
        throw new ShapeException(
            "[run] every input must be given; got nothing for "
                + inputs.get(k)
                + "; call set first.");
      }
    }
  }

  /** Of what they are given. */
  List<Tensor<?>> memory(List<Variable<?>> inputs) {
    List<Tensor<?>> all = new ArrayList<>();
    inputs.forEach(v -> all.add(given.get(v)));
    return all;
  }

  private static void require(Variable<?> input, Shape shape) {
    if (input.kind() != Variable.Kind.INPUT) {
      throw new ShapeException(
          "[set] only inputs are given; got " + input + "; assign to tensor(it).");
    }
    if (!input.dims().accepts(shape)) {
      throw new ShapeException(
          "[set] the value must have the input's shape; got " + shape + " for " + input + ".");
    }
  }

  @SuppressWarnings("unchecked")
  private <T> Tensor<T> room(Variable<T> input, Shape shape) {
    return (Tensor<T>)
        memory
            .computeIfAbsent(input, _ -> new HashMap<>())
            .computeIfAbsent(shape, s -> ctx.empty(input.dtype(), s));
  }
}
