package ristretto.nnet3.compile;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Node;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.forward.RowMap;

/**
 * Makes expressions of steps, and assigns them. The value of a node has three axes: places (t, x),
 * sequences, columns. A node that has several steps has one piece of memory, of which each step
 * writes a run of places.
 */
final class Lowering {
  private final Resident resident;
  private final Context context;
  private final ComputationGraph graph;
  private final Steps steps;
  private final Sequences sequences;
  private final ComputationRequest request;
  private final Boundary boundary;
  private final Map<Integer, Expr<F32>> values = new HashMap<>();

  /**
   * @param request as the user made it
   */
  Lowering(
      Resident resident,
      ComputationGraph graph,
      Steps steps,
      Sequences sequences,
      ComputationRequest request) {
    this.resident = resident;
    this.context = resident.context();
    this.graph = graph;
    this.steps = steps;
    this.sequences = sequences;
    this.request = request;
    this.boundary = new Boundary(resident, sequences);
  }

  /** Computes the outputs from the inputs, both by node name, rows as in the request. */
  void run(Map<String, Tensor<F32>> inputs, Map<String, Tensor<F32>> outputs) {
    for (Step step : steps.all()) {
      Node node = graph.nnet().node(step.node());
      if (step.supplied()) {
        Expr<F32> matrix = inputs.get(node.name());
        put(step, boundary.in(matrix, asked(request.inputs(), node), placesOf(step)));
      } else if (node instanceof Node.ComponentNode n) {
        put(step, component(step, n));
      } else {
        Expr<F32> value = gather(((Node.OutputNode) node).input(), step.rows());
        context.assign(
            outputs.get(node.name()),
            boundary.out(value, asked(request.outputs(), node), steps.rows(step.node())));
      }
    }
  }

  private static NodeRows placesOf(Step step) {
    return new NodeRows(step.rows());
  }

  private static List<Index> asked(List<ComputationRequest.Io> all, Node node) {
    for (ComputationRequest.Io io : all) {
      if (io.name().equals(node.name())) {
        return io.indexes();
      }
    }
    throw new IllegalStateException(node.name());
  }

  private Expr<F32> component(Step step, Node.ComponentNode node) {
    var component = (ComponentBase) graph.nnet().component(node);
    Expr<F32> x = step.inputs().isEmpty() ? null : gather(node.input(), step.inputs());
    return component.forward(
        new Forward(resident, x, step.inputs(), step.rows(), sequences.count(), step.node()));
  }

  private void put(Step step, Expr<F32> value) {
    int size = steps.rows(step.node()).size();
    if (size == step.rows().size()) {
      values.put(step.node(), context.eval(value));
      return;
    }
    Expr<F32> memory =
        values.computeIfAbsent(
            step.node(), _ -> context.empty(F32, size, value.shape().dim(1), value.shape().dim(2)));
    long end = step.at() + (long) step.rows().size();
    context.assign(((Tensor<F32>) memory).slice(range(step.at(), end)), value);
  }

  private Expr<F32> gather(ristretto.nnet3.Descriptor descriptor, List<Index> rows) {
    var parts = new ArrayList<Expr<F32>>();
    for (Gathered.Part part : Gathered.of(graph, steps, descriptor, rows).parts()) {
      parts.add(gather(part));
    }
    return Forward.append(parts);
  }

  private Expr<F32> gather(Gathered.Part part) {
    Expr<F32> sum = null;
    for (Gathered.Term term : part.terms()) {
      Expr<F32> source =
          Forward.columns(values.get(term.node()), term.from(), (long) term.from() + term.dim());
      Expr<F32> rows = RowMap.of(term.places(), (int) source.shape().dim(0)).read(resident, source);
      Expr<F32> scaled = term.scale() == 1 ? rows : rows.times(term.scale());
      sum = sum == null ? scaled : sum.plus(scaled);
    }
    if (part.constants() != null) {
      Expr<F32> constants = context.tensor(part.constants(), part.rows(), 1, 1);
      sum =
          sum == null
              ? constants.expand(part.rows(), sequences.count(), part.dim())
              : sum.plus(constants);
    }
    return sum == null ? fill(F32, 0, part.rows(), sequences.count(), part.dim()) : sum;
  }
}
