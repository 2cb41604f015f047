package ristretto.symbolic.run;

import java.util.HashMap;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Operator;

/** Temporary memory of operators within a run, by the operators' own names. */
final class Workspace {
  private record Key(Operator operator, String name) {}

  private final Context ctx;
  private final Map<Key, Tensor<?>> tensors = new HashMap<>();

  Workspace(Context ctx) {
    this.ctx = ctx;
  }

  @SuppressWarnings("unchecked")
  <T> Tensor<T> get(Operator operator, String name, DType<T> dtype, Shape shape) {
    Tensor<?> tensor =
        tensors.computeIfAbsent(new Key(operator, name), _ -> ctx.empty(dtype, shape));
    if (tensor.dtype() != (Object) dtype || !tensor.shape().equals(shape)) {
      throw new ShapeException(
          "[%s] a workspace must keep its dtype and shape; got %s%s for %s %s%s."
              .formatted(operator.name(), dtype, shape, name, tensor.dtype(), tensor.shape()));
    }
    return (Tensor<T>) tensor;
  }

  void clear(Operator operator) {
    tensors.keySet().removeIf(key -> key.operator == operator);
  }

  void clear() {
    tensors.clear();
  }
}
