package ristretto.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.option.TensorFormat;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Parameters and states of an executor as the content of a safetensors file. */
final class Weights {
  private Weights() {}

  static byte[] of(Executor executor) {
    Map<String, Tensor<?>> tensors = new LinkedHashMap<>();
    kept(executor).forEach(v -> tensors.put(v.name(), executor.tensor(v)));
    var out = new ByteArrayOutputStream();
    Context ctx = tensors.isEmpty() ? null : tensors.values().iterator().next().context();
    if (ctx != null) {
      ctx.saveAll(out, TensorFormat.SAFETENSORS, tensors);
    }
    return out.toByteArray();
  }

  private static List<Variable<?>> kept(Executor executor) {
    List<Variable<?>> all = new ArrayList<>(executor.parameters());
    all.addAll(executor.states());
    return all;
  }

  /** Gives the values to another executor of the same model, or of a part of it. */
  static void give(Context ctx, byte[] weights, Executor executor) {
    List<Variable<?>> kept = kept(executor);
    if (kept.isEmpty()) {
      return;
    }
    Map<String, Tensor<?>> tensors = ctx.loadAll(new ByteArrayInputStream(weights));
    for (Variable<?> v : kept) {
      Tensor<?> value = tensors.get(v.name());
      if (value == null || !value.shape().equals(executor.tensor(v).shape())) {
        throw new ShapeException(
            "[spark] the builder must build the model whose weights are given; got %s for %s; give the builder that made the executor."
                .formatted(value == null ? "none" : value.dtype() + "" + value.shape(), v));
      }
      assign(ctx, executor.tensor(v), value);
    }
  }

  private static <T> void assign(Context ctx, Tensor<T> to, Tensor<?> value) {
    ctx.assign(to, value.as(to.dtype()));
  }
}
