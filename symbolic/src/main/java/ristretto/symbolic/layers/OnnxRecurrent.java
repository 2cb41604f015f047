package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.Attribute;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.Value;

/** Export of a recurrent layer as one ONNX operator, with the gates reordered. */
final class OnnxRecurrent<T> {
  private final OnnxGraph graph;
  private final OnnxCellType cell;
  private final RecurrentOperator.Inputs<T> in;
  private final boolean reverse;
  private final long hidden;

  OnnxRecurrent(
      OnnxGraph graph, OnnxCellType cell, RecurrentOperator.Inputs<T> in, boolean reverse) {
    this.graph = graph;
    this.cell = cell;
    this.in = in;
    this.reverse = reverse;
    this.hidden = in.wh().dims().at(0);
  }

  void put(Variable<T> outputs, List<Variable<T>> last) {
    Value v = graph.value(in.input());
    var inputs = new ArrayList<String>();
    inputs.add(v.name());
    inputs.add(weights(in.wx()));
    inputs.add(weights(in.wh()));
    inputs.add(biases());
    inputs.add(in.lengths().map(n -> graph.value(n).name()).orElse(""));
    for (Variable<T> state : in.initial()) {
      inputs.add(
          graph.model.node("Unsqueeze", List.of(graph.value(state).name(), graph.model.wholes(0))));
    }
    List<String> results =
        graph.model.node(
            cell.type(), 1 + last.size(), inputs, attributes().toArray(Attribute[]::new));
    long steps = v.shape().at(0);
    long n = v.shape().at(1);
    graph.put(outputs, without(results.get(0), 1), Shape.of(steps, n, hidden));
    for (int k = 0; k < last.size(); k++) {
      graph.put(last.get(k), without(results.get(1 + k), 0), Shape.of(n, hidden));
    }
  }

  private List<Attribute> attributes() {
    var all = new ArrayList<Attribute>();
    all.add(new Attribute.Int("hidden_size", hidden));
    all.add(new Attribute.Text("direction", reverse ? "reverse" : "forward"));
    all.add(new Attribute.Texts("activations", cell.activations()));
    if (in.lastBias().isPresent()) {
      all.add(new Attribute.Int("linear_before_reset", 1));
    }
    return all;
  }

  private String without(String name, long axis) {
    return graph.model.node("Squeeze", List.of(name, graph.model.wholes(axis)));
  }

  /** Converts weights {@code [in, gates * hidden]} to {@code [1, gates * hidden, in]}. */
  private String weights(Variable<T> w) {
    return graph.weight(w.name(), ordered(graph.parameter(w), 1).t().unsqueeze(0));
  }

  private Expr<T> ordered(Tensor<T> of, int axis) {
    List<Expr<T>> gates = Ops.split(of, cell.order().size(), axis);
    return Ops.concat(axis, cell.order().stream().map(gates::get).toList());
  }

  private String biases() {
    Expr<T> first = ordered(graph.parameter(in.bias()), 0);
    Expr<T> second =
        in.lastBias()
            .map(b -> ordered(graph.parameter(b), 0))
            .orElseGet(() -> Ops.fill(first.dtype(), 0, first.shape().toArray()));
    return graph.weight(in.bias().name(), Ops.concat(0, first, second).unsqueeze(0));
  }
}
