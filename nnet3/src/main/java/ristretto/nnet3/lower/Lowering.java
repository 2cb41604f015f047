package ristretto.nnet3.lower;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.range;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;
import ristretto.nnet3.graph.NodeRows;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.step.ColumnProducts;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.NodeConstants;
import ristretto.nnet3.step.RowMap;
import ristretto.nnet3.step.StatisticsSink;

/**
 * Lowers steps to expressions and assigns them. The value of a node has three dimensions: rows (t,
 * x), sequences, columns. A node with several steps has one buffer, of which each step writes a
 * range of rows.
 */
public final class Lowering {
  private final DeviceParameters deviceParameters;
  private final Context context;
  private final ComputationGraph graph;
  private final Steps steps;
  private final RepresentativeSequence sequences;
  private final ComputationRequest request;
  private final RowOrder boundary;
  private final Aliases aliases;
  private final GatherPlans gatherPlans;
  private final Map<Integer, Expr<F32>> values = new HashMap<>();
  private final Map<Integer, NodeConstants> ofNodes = new HashMap<>();

  /** Constant columns {@code c[rows, 1, 1]}, shared by steps. */
  private final Map<FloatBuffer, Tensor<F32>> constants = new HashMap<>();

  /** Rows of each node that its value contains. */
  private final Map<Integer, Step.Window> windows = new HashMap<>();

  /** Rows that later blocks read, by node. */
  private final Map<Integer, Expr<F32>> rests = new HashMap<>();

  /** Number of rows of the current block computed so far, by node that later blocks read. */
  private final Map<Integer, Integer> rowsDone = new HashMap<>();

  private final StepSurvey survey;
  private int block;

  /** True if backward or statistics follow, which read values again. */
  private final boolean derivatives;

  /** True if fusion is off: no kernel computes values of several steps. */
  private final boolean isAlone;

  private final Map<Step, ForwardStep> forwards = new IdentityHashMap<>();

  /** Rematerialization plan; null if all values that backward reads are stored. */
  private final RematerializationPlan recomputed;

  /** For each recurrent product, the descriptor parts from outside the recurrence. */
  private final Map<Integer, BitSet> outside = new HashMap<>();

  /** For each recurrent product, the products that each step computes. */
  private final Map<Integer, ColumnProducts> stepProducts = new HashMap<>();

  /**
   * @param request the user's request
   */
  public Lowering(
      DeviceParameters deviceParameters,
      RequestStructure structure,
      RepresentativeSequence sequences,
      ComputationRequest request) {
    this.deviceParameters = deviceParameters;
    this.context = deviceParameters.context();
    this.graph = structure.graph();
    this.steps = structure.steps();
    this.sequences = sequences;
    this.request = request;
    this.aliases = Aliases.forward(graph);
    this.gatherPlans = new GatherPlans(graph, steps, aliases);
    this.derivatives = request.needDerivatives() || request.storeComponentStats();
    this.survey = new StepSurvey(graph, steps, aliases, gatherPlans, derivatives);
    this.isAlone = context.without().contains(Optimization.INLINE);
    this.boundary = new RowOrder(deviceParameters, sequences);
    this.recomputed =
        deviceParameters.lowering().rematerialization() != Rematerialization.NOTHING
                && request.needDerivatives()
            ? new RematerializationPlan(deviceParameters.lowering().rematerialization())
            : null;
  }

  /**
   * Computes the outputs from the inputs, both by node name, rows as in the request. Outputs
   * without a matrix get the matrix of their value.
   */
  public void run(
      Map<String, Tensor<F32>> inputs, Map<String, Tensor<F32>> outputs, StatisticsSink sink) {
    survey.run();
    new StepLoops(context, steps.all(), survey.shapes()::get)
        .run(
            step -> step(step, inputs, outputs, sink),
            (_, _) -> {},
            label -> (Step) label,
            step -> step);
  }

  private void step(
      Step step,
      Map<String, Tensor<F32>> inputs,
      Map<String, Tensor<F32>> outputs,
      StatisticsSink sink) {
    if (step.window().block() > block) {
      block = step.window().block();
      onlyRest();
    }
    context.label(step);
    Node node = graph.nnet().node(step.node());
    if (step.supplied()) {
      Expr<F32> matrix = inputs.get(node.name());
      put(step, boundary.in(matrix, asked(request.inputs(), node), placesOf(step)));
    } else if (node instanceof Node.ComponentNode n) {
      if (!aliases.isAlias(step.node())) {
        component(step, n);
        if (sink != null && isDroppable(step)) {
          statistics(step, n, sink);
        }
      }
    } else {
      List<ForwardStep.Columns> parts = gather(((Node.OutputNode) node).input(), step.rows());
      Expr<F32> value =
          new ForwardStep(
                  deviceParameters,
                  parts,
                  step.rows(),
                  step.rows(),
                  sequences.numbers(),
                  step.node())
              .x();
      List<Index> asked = asked(request.outputs(), node);
      Tensor<F32> matrix = outputs.get(node.name());
      if (matrix == null) {
        outputs.put(node.name(), boundary.out(value, asked, steps.rows(step.node())));
      } else {
        boundary.out(matrix, value, asked, steps.rows(step.node()), step.at());
      }
    }
  }

  /** Returns the shapes of the steps, valid after {@link #run}; see {@link StepSurvey#shapes}. */
  List<Loops.Shape> shapes() {
    return survey.shapes();
  }

  /**
   * Passes statistics of the components' values to the sink, except those that were passed during
   * forward.
   */
  public void statistics(StatisticsSink sink) {
    var done = new HashSet<Integer>();
    for (Step step : steps.all()) {
      if (graph.nnet().node(step.node()) instanceof Node.ComponentNode n
          && values.get(step.node()) instanceof Expr<F32> value
          && !step.supplied()
          && !isDroppable(step)) {
        var component = (ComponentBase) graph.nnet().component(n);
        if (!step.isSplit()) {
          statistics(step, n, sink);
        } else if (component.has(Property.USES_MEMO)) {
          component.statistics(forward(step), run(step, (Tensor<F32>) value), sink);
        } else if (done.add(step.node())) {
          List<Index> rows = steps.rows(step.node()).rows();
          component.statistics(forward(step.node(), List.of(), rows), value, sink);
        }
      }
    }
  }

  private void statistics(Step step, Node.ComponentNode node, StatisticsSink sink) {
    var component = (ComponentBase) graph.nnet().component(node);
    component.statistics(forward(step), values.get(step.node()), sink);
  }

  /**
   * Returns true if the value can be freed before backward; its statistics are then computed during
   * forward.
   */
  private boolean isDroppable(Step step) {
    return recomputed != null && !step.isSplit() && !steps.isSupplied(step.node());
  }

  private static NodeRows placesOf(Step step) {
    return new NodeRows(step.rows());
  }

  static List<Index> asked(List<ComputationRequest.Io> all, Node node) {
    for (ComputationRequest.Io io : all) {
      if (io.name().equals(node.name())) {
        return io.indexes();
      }
    }
    throw new IllegalStateException(node.name());
  }

  private void component(Step step, Node.ComponentNode node) {
    var component = (ComponentBase) graph.nnet().component(node);
    if (recomputed != null && step.isSplit() && !steps.isSupplied(step.node())) {
      recomputed.decide(step.node(), component, steps.epoch(step.node()));
    }
    // supplied rows are in the node's memory, so nothing can be multiplied in advance
    if (component instanceof Projection p && step.isSplit() && !steps.isSupplied(step.node())) {
      project(step, node, p);
      return;
    }
    List<ForwardStep.Columns> x =
        step.inputs().isEmpty() ? List.of() : gather(node.input(), step.inputs());
    var forward =
        new ForwardStep(
                deviceParameters, x, step.inputs(), step.rows(), sequences.numbers(), step.node())
            .ofNode(ofNode(step.node()));
    if (derivatives) {
      forwards.put(step, forward);
    }
    Expr<F32> value = component.forward(forward);
    boolean store = false;
    if (isDroppable(step)) {
      store =
          recomputed.mustStore(
              step, component, sources(node.input(), step.inputs()), value instanceof Tensor);
    }
    put(step, store ? context.eval(value) : value);
  }

  private Set<Integer> sources(Descriptor descriptor, List<Index> rows) {
    var nodes = new HashSet<Integer>();
    for (GatherPlan.Part part : gatherPlans.parts(descriptor, rows)) {
      part.terms().forEach(term -> nodes.add(term.node()));
    }
    return nodes;
  }

  /** Drops the values that backward recomputes; to be called after forward and its statistics. */
  public void forget() {
    if (recomputed != null) {
      recomputed.steps().keySet().forEach(values::remove);
      values.keySet().removeIf(recomputed::isRecurrent);
      windows.keySet().removeIf(recomputed::isRecurrent);
      forwards.replaceAll((step, forward) ->
          forward.recomputed(() ->
              step.inputs().isEmpty()
                  ? List.of()
                  : gather(graph.nnet().node(step.node()).descriptor(), step.inputs())));
    }
  }

  /** Returns the forward context of a component's step. */
  ForwardStep forward(Step step) {
    return forwards.computeIfAbsent(step, s -> forward(s.node(), s.inputs(), s.rows()));
  }

  /** Returns a forward context for rows of a component node, perhaps of several steps. */
  ForwardStep forward(int node, List<Index> inputs, List<Index> rows) {
    List<ForwardStep.Columns> x =
        inputs.isEmpty() ? List.of() : gather(graph.nnet().node(node).descriptor(), inputs);
    return new ForwardStep(deviceParameters, x, inputs, rows, sequences.numbers(), node)
        .ofNode(ofNode(node));
  }

  /** Returns the value of a node, recomputed if it was dropped; null for an alias. */
  Expr<F32> value(int node) {
    if (recomputed != null && !values.containsKey(node)) {
      if (recomputed.steps().get(node) instanceof Step step) {
        var component =
            (ComponentBase) graph.nnet().component((Node.ComponentNode) graph.nnet().node(node));
        put(step, component.forward(forward(step)));
      } else if (recomputed.isRecurrent(node)) {
        recurrence(steps.epoch(node));
      }
    }
    return values.get(node);
  }

  /** Recomputes the dropped values of a recurrence, step by step in the order of forward. */
  private void recurrence(int epoch) {
    for (Step step : steps.all()) {
      if (steps.epoch(step.node()) == epoch && recomputed.isRecurrent(step.node())) {
        component(step, (Node.ComponentNode) graph.nnet().node(step.node()));
      }
    }
  }

  RowOrder boundary() {
    return boundary;
  }

  /**
   * Lowers a product within a recurrence. Inputs from outside the recurrence are multiplied for all
   * steps at once, before the first one; that product plus the offset is in memory when a step adds
   * its own products.
   */
  private void project(Step step, Node.ComponentNode node, Projection p) {
    boolean isFirst = !step.window().equals(windows.get(step.node()));
    Tensor<F32> memory = memory(step, p.weights().rows());
    if (isFirst) {
      outside(step, node, p, memory);
    }
    ColumnProducts products =
        stepProducts.computeIfAbsent(
            step.node(),
            _ -> ColumnProducts.ofSteps(deviceParameters, p.weights(), sequences.count()));
    List<GatherPlan.Part> all = gatherPlans.parts(node.input(), step.rows());
    var inside = new ArrayList<ForwardStep.Columns>();
    for (GatherPlan.Part part : all) {
      boolean done = outside.get(step.node()).get(part.top());
      inside.add(done ? ForwardStep.Columns.zeros(part.dim()) : gather(part, step.rows().size()));
    }
    Tensor<F32> rows = run(step, memory);
    products.add(
        rows.reshape(step.rows().size() * (long) sequences.count(), p.weights().rows()), inside);
    rest(step);
  }

  private void outside(Step step, Node.ComponentNode node, Projection p, Tensor<F32> window) {
    int number = step.node();
    Step.Window w = step.window();
    List<Index> rows = steps.rows(number).rows().subList(w.from(), w.end());
    Tensor<F32> memory = window.slice(range(w.from() - (long) w.first(), w.size()));
    List<GatherPlan.Part> all = gatherPlans.parts(node.input(), rows);
    var done = new BitSet();
    done.set(0, node.input().parts().size());
    for (GatherPlan.Part part : all) {
      if (part.terms().stream().anyMatch(t -> steps.epoch(t.node()) == steps.epoch(number))) {
        done.clear(part.top());
      }
    }
    outside.put(number, done);
    var parts = new ArrayList<ForwardStep.Columns>();
    boolean some = false;
    for (GatherPlan.Part part : all) {
      boolean here = done.get(part.top());
      parts.add(here ? gather(part, rows.size()) : ForwardStep.Columns.zeros(part.dim()));
      some |= here;
    }
    if (some) {
      ColumnProducts products =
          ColumnProducts.of(
              deviceParameters, p.weights(), rows.size() * (long) sequences.count(), parts);
      if (products.columns() > p.weights().rows()) {
        products = new ColumnProducts(context, deviceParameters.matrix(p.weights()));
      }
      products.assign(
          memory.reshape(rows.size() * (long) sequences.count(), p.weights().rows()), parts);
      if (p.offset().length > 0) {
        context.assignAdd(memory, deviceParameters.vector(p.offset()));
      }
    } else if (p.offset().length > 0) {
      context.assign(memory, deviceParameters.vector(p.offset()).expand(memory.shape().toArray()));
    } else {
      context.assign(memory, 0);
    }
  }

  private NodeConstants ofNode(int number) {
    return ofNodes.computeIfAbsent(number, k -> new NodeConstants(steps.rows(k).rows()));
  }

  private void put(Step step, Expr<F32> value) {
    Step.Window window = step.window();
    if (step.isSplit() || window.first() < window.from()) {
      context.assign(run(step, memory(step, value.shape().dim(2))), value);
    } else {
      boolean inReader =
          value instanceof Tensor
              || (!isAlone
                  && survey.isReadOnce(step.node(), window)
                  && !window.stays()
                  && (!derivatives || ForwardStep.isElementwise(value)));
      values.put(step.node(), inReader ? value : context.eval(value));
      windows.put(step.node(), window);
    }
    rest(step);
  }

  /** Keeps the rows of a complete value that later blocks read. */
  private void rest(Step step) {
    Step.Window window = step.window();
    if (!window.stays()) {
      return;
    }
    int done = rowsDone.merge(step.node(), step.rows().size(), Integer::sum);
    if (done == window.end() - window.from()) {
      rowsDone.remove(step.node());
      Expr<F32> value = values.get(step.node());
      long at = window.later() - (long) window.first();
      if (at > 0) {
        Expr<F32> rows = value.slice(range(at, window.size()));
        Tensor<F32> rest = context.empty(F32, rows.shape());
        // assigned instead of evaluated: readers could inline an evaluated value
        context.assign(rest, rows);
        value = rest;
      }
      rests.put(step.node(), value);
    }
  }

  /** Frees the rows of earlier blocks that no later block reads. */
  private void onlyRest() {
    rests.forEach((node, rest) -> {
      values.put(node, rest);
      windows.computeIfPresent(node, (_, window) -> window.rest());
    });
    rests.clear();
  }

  /** Returns the buffer of a step's window; a new buffer gets the rows of earlier blocks. */
  private Tensor<F32> memory(Step step, long dim) {
    Step.Window window = step.window();
    Step.Window before = windows.put(step.node(), window);
    if (window.equals(before)) {
      return (Tensor<F32>) values.get(step.node());
    }
    Tensor<F32> memory = context.empty(F32, window.size(), sequences.count(), dim);
    if (window.first() < window.from()) {
      int at = window.first() - before.first();
      long kept = window.from() - (long) window.first();
      context.assign(
          memory.slice(range(0, kept)), values.get(step.node()).slice(range(at, at + kept)));
    }
    values.put(step.node(), memory);
    return memory;
  }

  private List<ForwardStep.Columns> gather(Descriptor descriptor, List<Index> rows) {
    return gatherPlans.parts(descriptor, rows).stream()
        .map(part -> gather(part, rows.size()))
        .toList();
  }

  /** Maps the rows of a term to rows of the node's value in memory. */
  private RowMap rows(GatherPlan.Term term) {
    Step.Window window = windows.get(term.node());
    int[] places = term.places();
    if (window.first() > 0) {
      places = Arrays.stream(places).map(p -> p < 0 ? p : p - window.first()).toArray();
    }
    return RowMap.of(places, window.size());
  }

  private ForwardStep.Columns gather(GatherPlan.Part part, int rows) {
    Expr<F32> sum = null;
    for (GatherPlan.Term term : part.terms()) {
      Expr<F32> source =
          ForwardStep.columns(value(term.node()), term.from(), (long) term.from() + term.dim());
      Expr<F32> read = rows(term).read(deviceParameters, source);
      if (part.terms().size() == 1 && part.constants() == null) {
        return new ForwardStep.Columns(part.dim(), read, term.scale());
      }
      Expr<F32> scaled = term.scale() == 1 ? read : read.times(term.scale());
      sum = sum == null ? scaled : sum.plus(scaled);
    }
    if (part.constants() != null) {
      Expr<F32> constants =
          this.constants.computeIfAbsent(
              FloatBuffer.wrap(part.constants()),
              _ -> context.tensor(part.constants(), rows, 1, 1));
      sum =
          sum == null ? constants.expand(rows, sequences.count(), part.dim()) : sum.plus(constants);
    }
    return new ForwardStep.Columns(part.dim(), sum, 1);
  }

  private static Tensor<F32> run(Step step, Tensor<F32> memory) {
    long at = step.at() - (long) step.window().first();
    return memory.slice(range(at, at + step.rows().size()));
  }
}
