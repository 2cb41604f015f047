package ristretto.spark.model;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Symbolic model. */
public final class ExecutorModel implements RowModel {
  private final Executor executor;
  private final List<Variable<?>> inputs;
  private final List<Variable<?>> outputs;

  public ExecutorModel(Executor executor, List<Variable<?>> outputs) {
    this.executor = executor;
    this.inputs = executor.inputs();
    this.outputs = List.copyOf(outputs);
  }

  @Override
  public List<RowInput> inputs() {
    return inputs.stream().map(v -> new RowInput(v.name(), v.dtype(), v.dims())).toList();
  }

  @Override
  public List<RowOutput> outputs() {
    return outputs.stream()
        .map(v -> new RowOutput(v.name(), v.dtype(), v.dims().rank() == 1))
        .toList();
  }

  @Override
  public List<Tensor<?>> run(List<MemorySegment> values, List<Shape> shapes) {
    for (int k = 0; k < inputs.size(); k++) {
      executor.set(inputs.get(k), values.get(k), shapes.get(k));
    }
    executor.forward();
    List<Tensor<?>> all = new ArrayList<>();
    outputs.forEach(v -> all.add(executor.tensor(v)));
    return all;
  }
}
