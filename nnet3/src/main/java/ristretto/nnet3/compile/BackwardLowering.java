package ristretto.nnet3.compile;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Optimization;
import ristretto.expr.Tensor;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Descriptor;
import ristretto.nnet3.Index;
import ristretto.nnet3.Node;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.GradientSink;
import ristretto.nnet3.forward.Resident;

/**
 * Lowers the backward pass. Each step asks its component for the derivatives of its inputs, given
 * the derivative of its value, which is a sum over the value's readers (see {@link Derivatives}).
 *
 * <p>A node with several steps has one buffer for the derivatives of its inputs from within the
 * recurrence, and each step writes its rows. Derivatives of inputs from outside the recurrence, and
 * of parameters, are computed for all steps at once, after the node's last step of the backward
 * pass.
 */
final class BackwardLowering {
  private final Lowering forward;
  private final Resident resident;
  private final Context context;
  private final ComputationGraph graph;
  private final Steps steps;
  private final Sequences sequences;
  private final ComputationRequest request;
  private final DerivativeTimes times;
  private final GradientSink sink;
  private final Aliases aliases;
  private final Needed needed;
  private final Derivatives derivatives;

  /** True if each recurrent step emits its own parameter gradient instead of one for all steps. */
  private final boolean eachStepUpdates;

  /** Reader of a node, over the rows of all of its steps. */
  private final Map<Integer, Reader> readers = new HashMap<>();

  /** Buffers with derivatives of nodes with several steps. */
  private final Map<Integer, Tensor<F32>> memories = new HashMap<>();

  /** Rows of {@link #memories} that steps have written. */
  private final Map<Integer, BitSet> filled = new HashMap<>();

  /**
   * Row ranges of nodes whose derivatives are limited to some times; other nodes have derivatives
   * of all rows.
   */
  private final Map<Integer, DerivativeTimes.Run> runs = new HashMap<>();

  /**
   * Readers of recurrent nodes with limited times, for their inputs from outside the recurrence.
   */
  private final Map<Integer, Reader> outsiders = new HashMap<>();

  /** Readers of single steps of a recurrent node whose steps read common rows. */
  private final Map<Step, Reader> overlapping = new IdentityHashMap<>();

  /** Recurrent products whose share of the derivative from outside the recurrence is computed. */
  private final Set<Integer> hoisted = new HashSet<>();

  /** Recurrent products for which that share is not zero, and is in memory. */
  private final BitSet begun = new BitSet();

  private final Map<Integer, Integer> stepsLeft = new HashMap<>();

  BackwardLowering(
      Lowering forward,
      Resident resident,
      Structure structure,
      Sequences sequences,
      ComputationRequest request,
      DerivativeTimes times,
      GradientSink sink) {
    this.forward = forward;
    this.resident = resident;
    this.context = resident.context();
    this.graph = structure.graph();
    this.steps = structure.steps();
    this.sequences = sequences;
    this.request = request;
    this.times = times;
    this.sink = sink;
    // With limited times, each alias has a time range of its own and is not skipped.
    this.aliases = times.isAll() ? Aliases.backward(graph) : Aliases.none(graph);
    this.needed = new Needed(graph, request, sink);
    this.eachStepUpdates =
        request.needModelDerivative() && !resident.choices().consolidateUpdates();
    this.derivatives = new Derivatives(resident, sequences.count());
  }

  /** Computes the derivatives of inputs from those of outputs, both by node name. */
  void run(Map<String, ? extends Expr<F32>> outputDerivs, Map<String, Tensor<F32>> inputDerivs) {
    survey();
    List<Step> all = steps.all().reversed();
    List<Loops.Shape> shapes = forward.shapes().reversed();
    // Work after the last step of a node is not part of a loop.
    new StepLoops(context, all, k -> shape(all.get(k), shapes.get(k)))
        .withoutLastRounds()
        .run(
            step -> step(step, outputDerivs, inputDerivs),
            this::skipped,
            label -> ((Derivative) label).step(),
            Derivative::new);
  }

  private void step(
      Step step,
      Map<String, ? extends Expr<F32>> outputDerivs,
      Map<String, Tensor<F32>> inputDerivs) {
    context.label(new Derivative(step));
    Node node = graph.nnet().node(step.node());
    if (step.supplied()) {
      Tensor<F32> wanted = inputDerivs.get(node.name());
      if (wanted != null) {
        supplied(step, node, wanted);
      }
    } else if (node instanceof Node.ComponentNode n) {
      if (readers.containsKey(step.node())) {
        component(step, n);
      }
    } else if (readers.containsKey(step.node())
        && outputDerivs.get(node.name()) instanceof Expr<F32> given) {
      Expr<F32> dy =
          forward
              .boundary()
              .in(given, Lowering.asked(request.outputs(), node), steps.rows(step.node()));
      readers.get(step.node()).derivatives(List.of(new Backward.Piece(0, dy.shape().dim(2), dy)));
    }
  }

  /**
   * Returns the shape of a step; null if the step computes more than derivatives of inputs from
   * within the recurrence.
   */
  private Loops.Shape shape(Step step, Loops.Shape ofForward) {
    return ofForward == null || !times.isAll() || eachStepUpdates || overlapping.containsKey(step)
        ? null
        : derivatives.shape(step, ofForward);
  }

  /**
   * Updates the state for a step that the recording leaves out.
   *
   * @param like the corresponding recorded step
   */
  private void skipped(Step step, Step like) {
    if (readers.containsKey(step.node())) {
      stepsLeft.merge(step.node(), -1, Integer::sum);
      BitSet done = filled.getOrDefault(step.node(), new BitSet());
      done.set(step.at(), step.at() + step.rows().size(), done.get(like.at()));
    }
  }

  /** Collects the readers of each node. */
  private void survey() {
    for (Step step : steps.all()) {
      if (step.supplied() || aliases.isAlias(step.node()) || !needed.contains(step.node())) {
        continue;
      }
      stepsLeft.merge(step.node(), 1, Integer::sum);
      if (!readers.containsKey(step.node())) {
        boolean split = step.isSplit();
        List<Index> rows = steps.rows(step.node()).rows();
        List<Index> inputs = split ? inputs(step.node()) : step.inputs();
        if (isLimited(step.node())) {
          DerivativeTimes.Run run = times.run(rows);
          runs.put(step.node(), run);
          List<Index> some = rows.subList(run.from(), run.to());
          if (split) {
            outsiders.put(step.node(), reader(step.node(), some));
          } else {
            inputs = some;
          }
        }
        readers.put(step.node(), reader(step.node(), inputs));
      }
      if (step.isSplit() && !isOneToOne(step)) {
        overlapping.put(step, reader(step.node(), step.inputs()));
      }
    }
  }

  private static boolean isOneToOne(Step step) {
    return step.inputs().isEmpty() || step.inputs().equals(step.rows());
  }

  /** Returns the input rows of all steps of a recurrent node. */
  private List<Index> inputs(int node) {
    List<Step> all = steps.all().stream().filter(step -> step.node() == node).toList();
    if (all.stream().allMatch(BackwardLowering::isOneToOne)) {
      return steps.rows(node).rows();
    }
    return all.stream().flatMap(step -> step.inputs().stream()).distinct().sorted().toList();
  }

  /**
   * Returns true if backward can be limited to some rows of a node: times are limited and the
   * component treats rows independently.
   */
  private boolean isLimited(int number) {
    return !times.isAll()
        && graph.nnet().node(number) instanceof Node.ComponentNode n
        && graph.nnet().component(n).isSimple()
        && !graph.nnet().component(n).has(Property.USES_MEMO);
  }

  private Reader reader(int number, List<Index> inputs) {
    Descriptor descriptor = graph.nnet().node(number).descriptor();
    Gathered gathered = Gathered.of(graph, steps, aliases, descriptor, inputs);
    if (!times.isAll()) {
      gathered = gathered.where((k, term) -> times.has(inputs.get(k)) && has(term, k));
    }
    var reader = new Reader(number, inputs, gathered);
    derivatives.add(reader);
    return reader;
  }

  private boolean has(Gathered.Term term, int k) {
    return times.has(steps.rows(term.node()).rows().get(term.places()[k]));
  }

  private void supplied(Step step, Node node, Tensor<F32> wanted) {
    Expr<F32> dx =
        derivatives.of(step.node(), step.at(), step.rows().size(), 0, wanted.shape().dim(1));
    if (dx == null) {
      context.assign(wanted, 0);
    } else {
      forward
          .boundary()
          .out(wanted, dx, Lowering.asked(request.inputs(), node), new NodeRows(step.rows()), 0);
    }
  }

  private void component(Step step, Node.ComponentNode node) {
    if (step.isSplit()) {
      split(step, node);
      return;
    }
    Reader reader = readers.get(step.node());
    var run = runs.getOrDefault(step.node(), new DerivativeTimes.Run(0, step.rows().size()));
    var dy = new Rows(step.node(), run, graph.nnet().dim(node), true);
    if (dy.isZero()) {
      return;
    }
    Forward f =
        run.size() == step.rows().size()
            ? forward.forward(step)
            : forward.forward(step.node(), reader.inputs(), reader.inputs());
    boolean parameters = request.needModelDerivative();
    Backward b =
        backward(node, f, dy, (from, to) -> wants(reader, from, to), true, parameters, List.of());
    reader.derivatives(b.pieces().stream().map(piece -> stored(reader, piece)).toList());
  }

  private Backward backward(
      Node.ComponentNode node,
      Forward f,
      Rows dy,
      Backward.Wanted wanted,
      boolean whole,
      boolean parameters,
      List<Backward.Piece> before) {
    var component = (ComponentBase) graph.nnet().component(node);
    var b =
        new Backward(
                component, f, () -> dy.value(component, f), dy, wanted, whole, parameters, sink)
            .after(before);
    if (!whole) {
      b.ofSteps(() -> madeBySteps(dy.node, component));
    }
    component.backward(b);
    return b;
  }

  private boolean wants(Reader reader, long from, long to) {
    return reader.terms().stream()
        .anyMatch(t -> t.from() < to && from < t.to() && needed.contains(t.term().node()));
  }

  /**
   * Stores a derivative in memory, unless it has one reader that reads it once, or its readers
   * accumulate its products themselves.
   */
  private Backward.Piece stored(Reader reader, Backward.Piece piece) {
    boolean joins = !context.without().contains(Optimization.INLINE);
    // products that readers accumulate are not computed here
    if (joins && addsUp(reader, piece)
        || piece.dx() instanceof Tensor
        || joins && readOnce(reader, piece)) {
      return piece;
    }
    return new Backward.Piece(piece.from(), piece.to(), context.eval(piece.dx()));
  }

  /**
   * Returns true if the piece consists of products that can be accumulated, and each source of the
   * node has one step left.
   */
  private boolean addsUp(Reader reader, Backward.Piece piece) {
    return Sums.canAdd(piece, read(reader, piece))
        && read(reader, piece).stream().allMatch(this::isOneStep);
  }

  private boolean readOnce(Reader reader, Backward.Piece piece) {
    List<Reader.Term> all = read(reader, piece);
    return all.size() == 1 && isOneStep(all.get(0));
  }

  private boolean isOneStep(Reader.Term term) {
    return stepsLeft.getOrDefault(term.term().node(), 1) == 1;
  }

  private List<Reader.Term> read(Reader reader, Backward.Piece piece) {
    return reader.terms().stream()
        .filter(t -> t.from() < piece.to() && piece.from() < t.to())
        .filter(t -> needed.contains(t.term().node()))
        .toList();
  }

  // Recurrences

  private void split(Step step, Node.ComponentNode node) {
    Reader reader = readers.get(step.node());
    Reader own = overlapping.get(step);
    if (own == null && reader.pieces().isEmpty()) {
      reader.derivatives(memory(step.node(), reader));
    }
    if (own == null
        && times.isAll()
        && !eachStepUpdates
        && graph.nnet().component(node) instanceof Projection p) {
      project(step, p, reader);
      lastStep(step, node, reader);
      return;
    }
    var run = new DerivativeTimes.Run(step.at(), step.at() + step.rows().size());
    var dy = new Rows(step.node(), run, graph.nnet().dim(node), false);
    // Derivatives of steps outside of the time range have no reader.
    boolean some = step.rows().stream().anyMatch(times::has);
    if (some && dy.isZero()) {
      for (Backward.Piece piece : reader.pieces()) {
        context.assign(run(step, (Tensor<F32>) piece.dx()), 0);
      }
    } else if (some && (own != null || !reader.pieces().isEmpty() || eachStepUpdates)) {
      Backward b =
          backward(
              node,
              forward.forward(step),
              dy,
              (from, to) -> isInside(step.node(), reader, from, to),
              false,
              eachStepUpdates,
              List.of());
      if (own != null) {
        own.derivatives(b.pieces().stream().map(piece -> stored(own, piece)).toList());
      } else {
        store(step, reader, b.pieces());
      }
    }
    lastStep(step, node, reader);
  }

  private void lastStep(Step step, Node.ComponentNode node, Reader reader) {
    if (stepsLeft.merge(step.node(), -1, Integer::sum) == 0) {
      allSteps(step.node(), node, reader);
    }
  }

  /**
   * Lowers a product within a recurrence. The share of its derivative from outside the recurrence
   * is multiplied for all steps at once; each step accumulates the share from within into the same
   * buffer.
   */
  private void project(Step step, Projection p, Reader reader) {
    int node = step.node();
    IntPredicate inside = n -> steps.epoch(n) == steps.epoch(node);
    Tensor<F32> w = resident.matrix(p.weights());
    long dim = p.weights().rows();
    if (hoisted.add(node)) {
      int size = steps.rows(node).size();
      Expr<F32> outside = derivatives.of(node, 0, size, 0, dim, inside.negate());
      if (outside != null) {
        begun.set(node);
        Tensor<F32> dy = outside instanceof Tensor<F32> t ? t : context.eval(outside);
        for (Backward.Piece piece : reader.pieces()) {
          context.assign(RowProduct.rows((Tensor<F32>) piece.dx()), RowProduct.of(dy, w, piece));
        }
      }
    }
    List<Integer> cuts = derivatives.cuts(node, inside);
    boolean adds = begun.get(node);
    for (int k = 1; k < cuts.size(); k++) {
      long lo = cuts.get(k - 1);
      long hi = cuts.get(k);
      Expr<F32> dy = derivatives.of(node, step.at(), step.rows().size(), lo, hi, inside);
      if (dy != null) {
        for (Backward.Piece piece : reader.pieces()) {
          Tensor<F32> to = RowProduct.rows(run(step, (Tensor<F32>) piece.dx()));
          Expr<F32> product = RowProduct.of(dy, w.slice(range(lo, hi)), piece);
          if (adds) {
            context.assignAdd(to, product);
          } else {
            context.assign(to, product);
          }
        }
        adds = true;
      }
    }
    if (!adds) {
      reader.pieces().forEach(piece -> context.assign(run(step, (Tensor<F32>) piece.dx()), 0));
    }
  }

  /**
   * Allocates buffers for the derivatives of the inputs from within the recurrence, for all steps.
   */
  private List<Backward.Piece> memory(int node, Reader reader) {
    var pieces = new ArrayList<Backward.Piece>();
    long from = 0;
    long end = -1;
    for (Reader.Term term : reader.terms()) {
      if (isInside(node, reader, term.from(), term.to())) {
        if (end >= 0 && term.from() > end) {
          pieces.add(piece(reader, from, end));
          end = -1;
        }
        from = end < 0 ? term.from() : from;
        end = Math.max(end, term.to());
      }
    }
    if (end >= 0) {
      pieces.add(piece(reader, from, end));
    }
    return pieces;
  }

  private Backward.Piece piece(Reader reader, long from, long to) {
    return new Backward.Piece(
        from, to, context.empty(F32, reader.inputs().size(), sequences.count(), to - from));
  }

  private boolean isInside(int node, Reader reader, long from, long to) {
    return reader.terms().stream()
        .anyMatch(t ->
            t.from() < to
                && from < t.to()
                && needed.contains(t.term().node())
                && steps.epoch(t.term().node()) == steps.epoch(node));
  }

  private void store(Step step, Reader reader, List<Backward.Piece> said) {
    for (Backward.Piece place : reader.pieces()) {
      Tensor<F32> memory = run(step, (Tensor<F32>) place.dx());
      long done = 0;
      for (Backward.Piece piece : said) {
        long lo = Math.max(piece.from(), place.from());
        long hi = Math.min(piece.to(), place.to());
        if (lo < hi) {
          Expr<F32> dx = Forward.columns(piece.dx(), lo - piece.from(), hi - piece.from());
          context.assign(
              (Tensor<F32>) Forward.columns(memory, lo - place.from(), hi - place.from()), dx);
          done += hi - lo;
        }
      }
      if (done == 0) {
        context.assign(memory, 0);
      }
    }
  }

  /** Returns some rows of a derivative. */
  private static Backward.Piece run(Backward.Piece piece, DerivativeTimes.Run run) {
    return new Backward.Piece(
        piece.from(), piece.to(), piece.dx().slice(range(run.from(), (long) run.to())));
  }

  private static Tensor<F32> run(Step step, Tensor<F32> memory) {
    return memory.slice(range(step.at(), step.at() + (long) step.rows().size()));
  }

  /** Returns the values that all steps of a recurrent node computed. */
  private Expr<F32> madeBySteps(int node, ComponentBase component) {
    return made(node, allRows(node), component, forwardOfSteps(node));
  }

  private DerivativeTimes.Run allRows(int node) {
    return runs.getOrDefault(node, new DerivativeTimes.Run(0, steps.rows(node).size()));
  }

  private Forward forwardOfSteps(int node) {
    DerivativeTimes.Run run = allRows(node);
    Reader reader = outsiders.getOrDefault(node, readers.get(node));
    return forward.forward(
        node, reader.inputs(), steps.rows(node).rows().subList(run.from(), run.to()));
  }

  /** Returns the value of forward, or an expression that computes it again. */
  private Expr<F32> made(int node, DerivativeTimes.Run run, ComponentBase component, Forward f) {
    Expr<F32> value = forward.value(node);
    if (value == null) {
      return component.forward(f);
    }
    boolean all = run.size() == value.shape().dim(0);
    return all ? value : value.slice(range(run.from(), (long) run.to()));
  }

  /** Computes the remaining derivatives of a recurrent node after its last step. */
  private void allSteps(int number, Node.ComponentNode node, Reader reader) {
    DerivativeTimes.Run run = allRows(number);
    var dy = new Rows(number, run, graph.nnet().dim(node), true);
    if (dy.isZero()) {
      return;
    }
    Backward b =
        backward(
            node,
            forwardOfSteps(number),
            dy,
            (from, to) -> wants(reader, from, to) && !isInside(number, reader, from, to),
            true,
            request.needModelDerivative() && !eachStepUpdates,
            reader.pieces().stream().map(piece -> run(piece, run)).toList());
    List<Backward.Piece> said = b.pieces().stream().map(p -> stored(reader, p)).toList();
    Reader outsider = outsiders.get(number);
    if (outsider != null) {
      outsider.derivatives(said);
      return;
    }
    var all = new ArrayList<>(reader.pieces());
    all.addAll(said);
    reader.derivatives(all);
  }

  /** Derivative of rows of a node, and the value of these rows. */
  private final class Rows implements Backward.Derivative {
    private final int node;
    private final int at;
    private final int count;
    private final long dim;
    private final boolean last;
    private final Expr<F32> all;

    /**
     * @param last true if no other step of the node follows
     */
    Rows(int node, DerivativeTimes.Run run, long dim, boolean last) {
      this.node = node;
      this.at = run.from();
      this.count = run.size();
      this.dim = dim;
      this.last = last;
      this.all = derivatives.of(node, at, count, 0, dim);
    }

    boolean isZero() {
      return all == null;
    }

    @Override
    public Expr<F32> columns(long from, long to) {
      if (from == 0 && to == dim) {
        return all;
      }
      if (all instanceof Tensor) {
        return Forward.columns(all, from, to);
      }
      Expr<F32> some = derivatives.of(node, at, count, from, to);
      return some != null ? some : fill(F32, 0, count, sequences.count(), to - from);
    }

    @Override
    public Tensor<F32> inMemory() {
      if (all instanceof Tensor<F32> t) {
        return t;
      }
      if (last) {
        BitSet done = filled.getOrDefault(node, new BitSet());
        return done.nextClearBit(at) >= at + count
            ? memories.get(node).slice(range(at, at + (long) count))
            : context.eval(all);
      }
      int size = steps.rows(node).size();
      Tensor<F32> memory =
          memories.computeIfAbsent(node, _ -> context.empty(F32, size, sequences.count(), dim));
      Tensor<F32> run = memory.slice(range(at, at + (long) count));
      context.assign(run, all);
      filled.computeIfAbsent(node, _ -> new BitSet()).set(at, at + count);
      return run;
    }

    Expr<F32> value(ComponentBase component, Forward f) {
      return made(node, new DerivativeTimes.Run(at, at + count), component, f);
    }
  }
}
