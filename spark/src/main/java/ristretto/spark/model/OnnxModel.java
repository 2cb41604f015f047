package ristretto.spark.model;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;
import ristretto.onnx.Model;
import ristretto.symbolic.graph.Dims;

/** Model of an ONNX file. */
public final class OnnxModel implements RowModel {
  private final Context ctx;
  private final Model model;
  private final List<RowInput> inputs;
  private final List<String> outputs;

  /** Creates a model; no names of outputs stand for the first output. */
  public OnnxModel(Context ctx, Model model, List<String> outputs) {
    this.ctx = ctx;
    this.model = model;
    this.outputs = outputs.isEmpty() ? List.of(model.outputs().get(0)) : outputs;
    this.inputs = model.inputs().stream().map(this::input).toList();
  }

  private RowInput input(String name) {
    var type = model.typeOf(name);
    return new RowInput(name, type.dtype(), type.dims().orElse(Dims.of(-1, -1)));
  }

  @Override
  public List<RowInput> inputs() {
    return inputs;
  }

  @Override
  public List<RowOutput> outputs() {
    return outputs.stream()
        .map(name -> {
          var type = model.typeOf(name);
          return new RowOutput(
              name, type.dtype(), type.dims().map(dims -> dims.rank() == 1).orElse(false));
        })
        .toList();
  }

  @Override
  public List<Tensor<?>> run(List<MemorySegment> values, List<Shape> shapes) {
    Map<String, Tensor<?>> given = new LinkedHashMap<>();
    for (int k = 0; k < inputs.size(); k++) {
      RowInput input = inputs.get(k);
      given.put(input.name(), ctx.tensor(input.dtype(), values.get(k), shapes.get(k)));
    }
    Map<String, Tensor<?>> results = model.run(given);
    List<Tensor<?>> all = new ArrayList<>();
    outputs.forEach(name -> all.add(results.get(name)));
    return all;
  }
}
