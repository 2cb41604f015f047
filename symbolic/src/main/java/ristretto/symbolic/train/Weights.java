package ristretto.symbolic.train;

import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/** Copy of the parameters and states of an executor. */
final class Weights {
  private final Executor executor;
  private final Map<Variable<?>, Tensor<?>> copies = new LinkedHashMap<>();

  /** Copies the current values. */
  Weights(Executor executor) {
    this.executor = executor;
    executor.parameters().forEach(v -> copies.put(v, copy(executor.tensor(v))));
    executor.states().forEach(v -> copies.put(v, copy(executor.tensor(v))));
  }

  private static <T> Tensor<T> copy(Tensor<T> t) {
    Tensor<T> copy = t.context().zeros(t.dtype(), t.shape().toArray());
    assign(copy, t);
    return copy;
  }

  /** Gives the executor the copied values. */
  void restore() {
    copies.forEach((v, copy) -> assign(executor.tensor(v), copy));
  }

  /** Gives an executor the running means of the parameters that an optimizer updates. */
  static void useAverages(Executor executor, Optimizer optimizer) {
    executor
        .averaged(optimizer)
        .forEach(v -> assign(executor.tensor(v), executor.average(v, optimizer)));
  }

  @SuppressWarnings("unchecked")
  private static <T> void assign(Tensor<T> to, Tensor<?> from) {
    Context context = to.context();
    context.assign(to, (Tensor<T>) from);
  }
}
