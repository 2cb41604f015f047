package ristretto.nnet3.compile;

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
import ristretto.expr.F32;
import ristretto.expr.Optimization;
import ristretto.expr.Tensor;
import ristretto.nnet3.Choices;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Descriptor;
import ristretto.nnet3.Index;
import ristretto.nnet3.Node;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.OfNode;
import ristretto.nnet3.forward.Products;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.forward.RowMap;
import ristretto.nnet3.forward.StatisticsSink;

/**
 * Lowers steps to expressions and assigns them. The value of a node has three dimensions: rows (t,
 * x), sequences, columns. A node with several steps has one buffer, of which each step writes a
 * range of rows.
 */
final class Lowering {
  private final Resident resident;
  private final Context context;
  private final ComputationGraph graph;
  private final Steps steps;
  private final Sequences sequences;
  private final ComputationRequest request;
  private final Boundary boundary;
  private final Aliases aliases;
  private final Set<Value> readOnce = new HashSet<>();
  private final Map<Integer, Expr<F32>> values = new HashMap<>();
  private final Map<Integer, OfNode> ofNodes = new HashMap<>();

  /** Constant columns {@code c[rows, 1, 1]}, shared by steps. */
  private final Map<FloatBuffer, Tensor<F32>> constants = new HashMap<>();

  /** Rows of each node that its value contains. */
  private final Map<Integer, Step.Window> windows = new HashMap<>();

  /** Rows that later blocks read, by node. */
  private final Map<Integer, Expr<F32>> rests = new HashMap<>();

  /** Number of rows of the current block computed so far, by node that later blocks read. */
  private final Map<Integer, Integer> rowsDone = new HashMap<>();

  /** Shapes of the steps, in order; see {@link #shapes()}. */
  private final List<Loops.Shape> shapes = new ArrayList<>();

  private int block;

  /** Rows of a node that are in memory together. */
  private record Value(int node, Step.Window window) {}

  /** True if backward or statistics follow, which read values again. */
  private final boolean derivatives;

  /** True if fusion is off: no kernel computes values of several steps. */
  private final boolean isAlone;

  private final Map<Step, Forward> forwards = new IdentityHashMap<>();

  /** Rematerialization plan; null if all values that backward reads are stored. */
  private final Recomputed recomputed;

  /** For each recurrent product, the descriptor parts from outside the recurrence. */
  private final Map<Integer, BitSet> outside = new HashMap<>();

  /** For each recurrent product, the products that each step computes. */
  private final Map<Integer, Products> stepProducts = new HashMap<>();

  /**
   * @param request the user's request
   */
  Lowering(
      Resident resident, Structure structure, Sequences sequences, ComputationRequest request) {
    this.resident = resident;
    this.context = resident.context();
    this.graph = structure.graph();
    this.steps = structure.steps();
    this.sequences = sequences;
    this.request = request;
    this.aliases = Aliases.forward(graph);
    this.derivatives = request.needDerivatives() || request.storeComponentStats();
    this.isAlone = context.without().contains(Optimization.INLINE);
    this.boundary = new Boundary(resident, sequences);
    this.recomputed =
        resident.choices().again() != Choices.Again.NOTHING && request.needDerivatives()
            ? new Recomputed(resident.choices().again())
            : null;
  }

  /**
   * Computes the outputs from the inputs, both by node name, rows as in the request. Outputs
   * without a matrix get the matrix of their value.
   */
  void run(Map<String, Tensor<F32>> inputs, Map<String, Tensor<F32>> outputs, StatisticsSink sink) {
    survey();
    new StepLoops(context, steps.all(), shapes::get)
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
      List<Forward.Columns> parts = gather(((Node.OutputNode) node).input(), step.rows());
      Expr<F32> value =
          new Forward(resident, parts, step.rows(), step.rows(), sequences.numbers(), step.node())
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

  /** Returns the shape of a step for {@link Loops}; null if the step cannot be part of a loop. */
  private StepShape shape(Step step, List<Gathered.Part> parts) {
    return step.isSplit()
            && !step.supplied()
            && !step.window().stays()
            && graph.nnet().node(step.node()) instanceof Node.ComponentNode n
            && !(derivatives && keeps((ComponentBase) graph.nnet().component(n)))
        ? StepShape.of(step, parts, graph.nnet().component(n) instanceof Projection)
        : null;
  }

  /** Returns true if forward keeps more than its value for backward. */
  private static boolean keeps(ComponentBase component) {
    return component.has(Property.USES_MEMO) || component.isRandomNow();
  }

  /**
   * Returns the shapes of the steps, in order, valid after {@link #run}; null for steps that are in
   * no loop.
   */
  List<Loops.Shape> shapes() {
    return shapes;
  }

  /**
   * Passes statistics of the components' values to the sink, except those that were passed during
   * forward.
   */
  void statistics(StatisticsSink sink) {
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

  /** Finds values with one reader that reads each element once, and the shapes of the steps. */
  private void survey() {
    var uses = new HashMap<Value, Integer>();
    var now = new HashMap<Integer, Step.Window>();
    for (Step step : steps.all()) {
      Node node = graph.nnet().node(step.node());
      now.put(step.node(), step.window());
      boolean isDone = step.supplied() || aliases.isAlias(step.node());
      List<Gathered.Part> parts = isDone ? List.of() : gathered(node.descriptor(), step.inputs());
      StepShape shape = shape(step, parts);
      shapes.add(shape == null ? null : shape.numbers());
      if (isDone) {
        continue;
      }
      boolean once =
          !(node instanceof Node.ComponentNode n)
              || (((ComponentBase) graph.nnet().component(n)).readsOnce()
                  && !(derivatives && readsAgain(n)));
      for (Gathered.Part part : parts) {
        for (Gathered.Term term : part.terms()) {
          var value = new Value(term.node(), now.get(term.node()));
          uses.merge(value, once ? 1 : 2, Integer::sum);
        }
      }
    }
    uses.forEach((value, count) -> {
      if (count == 1) {
        readOnce.add(value);
      }
    });
  }

  /** Returns true if the parameter gradient is a product with the component's input. */
  private boolean readsAgain(Node.ComponentNode node) {
    Component component = graph.nnet().component(node);
    return component.has(Property.UPDATABLE) && component.has(Property.BACKPROP_NEEDS_INPUT);
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
    List<Forward.Columns> x =
        step.inputs().isEmpty() ? List.of() : gather(node.input(), step.inputs());
    var forward =
        new Forward(resident, x, step.inputs(), step.rows(), sequences.numbers(), step.node())
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
    for (Gathered.Part part : gathered(descriptor, rows)) {
      part.terms().forEach(term -> nodes.add(term.node()));
    }
    return nodes;
  }

  /** Drops the values that backward recomputes; to be called after forward and its statistics. */
  void forget() {
    if (recomputed != null) {
      recomputed.steps().keySet().forEach(values::remove);
      values.keySet().removeIf(recomputed::isRecurrent);
      windows.keySet().removeIf(recomputed::isRecurrent);
      forwards.replaceAll((step, forward) ->
          forward.again(() ->
              step.inputs().isEmpty()
                  ? List.of()
                  : gather(graph.nnet().node(step.node()).descriptor(), step.inputs())));
    }
  }

  /** Returns the forward context of a component's step. */
  Forward forward(Step step) {
    return forwards.computeIfAbsent(step, s -> forward(s.node(), s.inputs(), s.rows()));
  }

  /** Returns a forward context for rows of a component node, perhaps of several steps. */
  Forward forward(int node, List<Index> inputs, List<Index> rows) {
    List<Forward.Columns> x =
        inputs.isEmpty() ? List.of() : gather(graph.nnet().node(node).descriptor(), inputs);
    return new Forward(resident, x, inputs, rows, sequences.numbers(), node).ofNode(ofNode(node));
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

  Boundary boundary() {
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
    Products products =
        stepProducts.computeIfAbsent(
            step.node(), _ -> Products.ofSteps(resident, p.weights(), sequences.count()));
    List<Gathered.Part> all = gathered(node.input(), step.rows());
    var inside = new ArrayList<Forward.Columns>();
    for (Gathered.Part part : all) {
      boolean done = outside.get(step.node()).get(part.top());
      inside.add(done ? Forward.Columns.zeros(part.dim()) : gather(part, step.rows().size()));
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
    List<Gathered.Part> all = gathered(node.input(), rows);
    var done = new BitSet();
    done.set(0, node.input().parts().size());
    for (Gathered.Part part : all) {
      if (part.terms().stream().anyMatch(t -> steps.epoch(t.node()) == steps.epoch(number))) {
        done.clear(part.top());
      }
    }
    outside.put(number, done);
    var parts = new ArrayList<Forward.Columns>();
    boolean some = false;
    for (Gathered.Part part : all) {
      boolean here = done.get(part.top());
      parts.add(here ? gather(part, rows.size()) : Forward.Columns.zeros(part.dim()));
      some |= here;
    }
    if (some) {
      Products products =
          Products.of(resident, p.weights(), rows.size() * (long) sequences.count(), parts);
      if (products.columns() > p.weights().rows()) {
        products = new Products(context, resident.matrix(p.weights()));
      }
      products.assign(
          memory.reshape(rows.size() * (long) sequences.count(), p.weights().rows()), parts);
      if (p.offset().length > 0) {
        context.assignAdd(memory, resident.vector(p.offset()));
      }
    } else if (p.offset().length > 0) {
      context.assign(memory, resident.vector(p.offset()).expand(memory.shape().toArray()));
    } else {
      context.assign(memory, 0);
    }
  }

  private OfNode ofNode(int number) {
    return ofNodes.computeIfAbsent(number, k -> new OfNode(steps.rows(k).rows()));
  }

  private void put(Step step, Expr<F32> value) {
    Step.Window window = step.window();
    if (step.isSplit() || window.first() < window.from()) {
      context.assign(run(step, memory(step, value.shape().dim(2))), value);
    } else {
      boolean inReader =
          value instanceof Tensor
              || (!isAlone
                  && readOnce.contains(new Value(step.node(), window))
                  && !window.stays()
                  && (!derivatives || Forward.isElementwise(value)));
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

  private static Tensor<F32> run(Step step, Tensor<F32> memory) {
    long at = step.at() - (long) step.window().first();
    return memory.slice(range(at, at + step.rows().size()));
  }

  private List<Gathered.Part> gathered(Descriptor descriptor, List<Index> rows) {
    return Gathered.of(graph, steps, aliases, descriptor, rows).parts();
  }

  private List<Forward.Columns> gather(Descriptor descriptor, List<Index> rows) {
    return gathered(descriptor, rows).stream().map(part -> gather(part, rows.size())).toList();
  }

  /** Maps the rows of a term to rows of the node's value in memory. */
  private RowMap rows(Gathered.Term term) {
    Step.Window window = windows.get(term.node());
    int[] places = term.places();
    if (window.first() > 0) {
      places = Arrays.stream(places).map(p -> p < 0 ? p : p - window.first()).toArray();
    }
    return RowMap.of(places, window.size());
  }

  private Forward.Columns gather(Gathered.Part part, int rows) {
    Expr<F32> sum = null;
    for (Gathered.Term term : part.terms()) {
      Expr<F32> source =
          Forward.columns(value(term.node()), term.from(), (long) term.from() + term.dim());
      Expr<F32> read = rows(term).read(resident, source);
      if (part.terms().size() == 1 && part.constants() == null) {
        return new Forward.Columns(part.dim(), read, term.scale());
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
    return new Forward.Columns(part.dim(), sum, 1);
  }
}
