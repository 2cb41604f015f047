package ristretto.symbolic.onnx.export;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.OnnxException;

/**
 * Export of a model as an ONNX file, in evaluation mode: no dropout, batch norm with running
 * statistics. Unknown dimensions of the inputs remain symbolic; those that the model requires to be
 * equal get one name. Dimensions of the outputs are fixed where they do not depend on the inputs'
 * sizes.
 */
public final class OnnxExport {
  private final Context ctx;
  private final Function<Variable<?>, Tensor<?>> parameters;
  private final List<Variable<?>> outputs;
  private final List<Operator> operators;
  private final List<Variable<?>> inputs;

  /**
   * Creates an export.
   *
   * @param parameters returns the values of parameters and states
   * @param operators operators that the outputs depend on, in topological order
   * @param inputs inputs that the outputs depend on
   */
  public OnnxExport(
      Context ctx,
      Function<Variable<?>, Tensor<?>> parameters,
      List<Variable<?>> outputs,
      List<Operator> operators,
      List<Variable<?>> inputs) {
    this.ctx = ctx;
    this.parameters = parameters;
    this.outputs = outputs;
    this.operators = operators;
    this.inputs = inputs;
  }

  /** Writes the file. */
  public void write(Path file) {
    UnknownDims.solve(this::model).write(file, outputs.get(0).name());
  }

  private ModelBuilder model() {
    var graph = new OnnxGraph(ctx, parameters);
    Map<Long, String> labels = inputs(graph);
    operators.forEach(op -> add(graph, op));
    ModelBuilder model = graph.model;
    for (Variable<?> v : outputs) {
      model.output(
          model.fresh(v.name()), graph.value(v), d -> v.dims().at(d) != Dims.UNKNOWN, labels::get);
    }
    return model;
  }

  private static void add(OnnxGraph graph, Operator op) {
    try {
      graph.add(op);
    } catch (UnsupportedExpression e) {
      throw new OnnxException(
          ("[onnx] an exported model must consist of operations that ONNX has; got %s, which needs"
                  + " %s; export the variables before it.")
              .formatted(op.name(), e.getMessage()));
    }
  }

  /** Adds the inputs; returns the names of unknown dimensions, each that of the first axis. */
  private Map<Long, String> inputs(OnnxGraph graph) {
    UnknownDims unknown = UnknownDims.current();
    var labels = new HashMap<Long, String>();
    for (Variable<?> input : inputs) {
      long[] dims = new long[input.dims().rank()];
      for (int d = 0; d < dims.length; d++) {
        boolean known = input.dims().at(d) != Dims.UNKNOWN;
        dims[d] = known ? input.dims().at(d) : unknown.symbol();
        if (!known) {
          labels.putIfAbsent(dims[d], input.name() + "." + d);
        }
      }
      var value = new Value(graph.model.fresh(input.name()), input.dtype(), Shape.of(dims));
      graph.put(input, value);
      graph.model.input(value, labels::get);
    }
    return labels;
  }
}
