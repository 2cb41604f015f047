package ristretto.nnet3.lower;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;
import ristretto.nnet3.graph.NodeRows;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.GradientSink;

/**
 * Lowers the backward pass. Each step asks its component for the derivatives of its inputs, given
 * the derivative of its value, which is a sum over the value's readers (see {@link
 * NodeDerivatives}).
 *
 * <p>A node with several steps has one buffer for the derivatives of its inputs from within the
 * recurrence, and each step writes its rows. Derivatives of inputs from outside the recurrence, and
 * of parameters, are computed for all steps at once, after the node's last step of the backward
 * pass.
 */
public final class BackwardLowering {
  private final Lowering forward;
  private final Context context;
  private final ComputationGraph graph;
  private final Steps steps;
  private final RepresentativeSequence sequences;
  private final ComputationRequest request;
  private final DerivativeTimes times;
  private final GradientSink sink;
  private final Aliases aliases;
  private final NeededDerivatives needed;
  private final NodeDerivatives derivatives;
  private final NodeReaders readers;

  /** True if each recurrent step emits its own parameter gradient instead of one for all steps. */
  private final boolean eachStepUpdates;

  /** Buffers with derivatives of nodes with several steps. */
  private final Map<Integer, Tensor<F32>> memories = new HashMap<>();

  /** Rows of {@link #memories} that steps have written. */
  private final Map<Integer, BitSet> filled = new HashMap<>();

  private final RecurrentProducts products;

  public BackwardLowering(
      Lowering forward,
      DeviceParameters deviceParameters,
      RequestStructure structure,
      RepresentativeSequence sequences,
      ComputationRequest request,
      DerivativeTimes times,
      GradientSink sink) {
    this.forward = forward;
    this.context = deviceParameters.context();
    this.graph = structure.graph();
    this.steps = structure.steps();
    this.sequences = sequences;
    this.request = request;
    this.times = times;
    this.sink = sink;
    // With limited times, each alias has a time range of its own and is not skipped.
    this.aliases = times.isAll() ? Aliases.backward(graph) : Aliases.none(graph);
    this.needed = new NeededDerivatives(graph, request, sink);
    this.eachStepUpdates =
        request.needModelDerivative() && !deviceParameters.lowering().consolidateUpdates();
    this.derivatives = new NodeDerivatives(deviceParameters, sequences.count());
    this.readers = new NodeReaders(graph, steps, aliases, times, derivatives);
    this.products = new RecurrentProducts(deviceParameters, steps, derivatives);
  }

  /** Computes the derivatives of inputs from those of outputs, both by node name. */
  public void run(
      Map<String, ? extends Expr<F32>> outputDerivs, Map<String, Tensor<F32>> inputDerivs) {
    readers.collect(needed);
    List<Step> all = steps.all().reversed();
    List<Loops.Shape> shapes = forward.shapes().reversed();
    // Work after the last step of a node is not part of a loop.
    new StepLoops(context, all, k -> shape(all.get(k), shapes.get(k)))
        .withoutLastRounds()
        .run(
            step -> step(step, outputDerivs, inputDerivs),
            this::skipped,
            label -> ((DerivativeLabel) label).step(),
            DerivativeLabel::new);
  }

  private void step(
      Step step,
      Map<String, ? extends Expr<F32>> outputDerivs,
      Map<String, Tensor<F32>> inputDerivs) {
    context.label(new DerivativeLabel(step));
    Node node = graph.nnet().node(step.node());
    if (step.supplied()) {
      Tensor<F32> wanted = inputDerivs.get(node.name());
      if (wanted != null) {
        supplied(step, node, wanted);
      }
    } else if (node instanceof Node.ComponentNode n) {
      if (readers.of(step.node()) != null) {
        component(step, n);
      }
    } else if (readers.of(step.node()) instanceof NodeReader reader
        && outputDerivs.get(node.name()) instanceof Expr<F32> given) {
      Expr<F32> dy =
          forward
              .boundary()
              .in(given, Lowering.asked(request.outputs(), node), steps.rows(step.node()));
      reader.derivatives(List.of(new BackwardStep.Piece(0, dy.shape().dim(2), dy)));
    }
  }

  /**
   * Returns the shape of a step; null if the step computes more than derivatives of inputs from
   * within the recurrence.
   */
  private Loops.Shape shape(Step step, Loops.Shape ofForward) {
    return ofForward == null || !times.isAll() || eachStepUpdates || readers.ofStep(step) != null
        ? null
        : derivatives.shape(step, ofForward);
  }

  /**
   * Updates the state for a step that the recording leaves out.
   *
   * @param like the corresponding recorded step
   */
  private void skipped(Step step, Step like) {
    if (readers.of(step.node()) != null) {
      readers.stepDone(step.node());
      BitSet done = filled.getOrDefault(step.node(), new BitSet());
      done.set(step.at(), step.at() + step.rows().size(), done.get(like.at()));
    }
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
    NodeReader reader = readers.of(step.node());
    DerivativeTimes.Run run = readers.rows(step.node());
    var dy = new Rows(step.node(), run, graph.nnet().dim(node), true);
    if (dy.isZero()) {
      return;
    }
    ForwardStep f =
        run.size() == step.rows().size()
            ? forward.forward(step)
            : forward.forward(step.node(), reader.inputs(), reader.inputs());
    boolean parameters = request.needModelDerivative();
    BackwardStep b =
        backward(node, f, dy, (from, to) -> wants(reader, from, to), true, parameters, List.of());
    reader.derivatives(b.pieces().stream().map(piece -> stored(reader, piece)).toList());
  }

  private BackwardStep backward(
      Node.ComponentNode node,
      ForwardStep f,
      Rows dy,
      BackwardStep.Wanted wanted,
      boolean whole,
      boolean parameters,
      List<BackwardStep.Piece> before) {
    var component = (ComponentBase) graph.nnet().component(node);
    var b =
        new BackwardStep(
                component, f, () -> dy.value(component, f), dy, wanted, whole, parameters, sink)
            .after(before);
    if (!whole) {
      b.ofSteps(() -> madeBySteps(dy.node, component));
    }
    component.backward(b);
    return b;
  }

  private boolean wants(NodeReader reader, long from, long to) {
    return reader.terms().stream()
        .anyMatch(t -> t.from() < to && from < t.to() && needed.contains(t.term().node()));
  }

  /**
   * Stores a derivative in memory, unless it has one reader that reads it once, or its readers
   * accumulate its products themselves.
   */
  private BackwardStep.Piece stored(NodeReader reader, BackwardStep.Piece piece) {
    boolean joins = !context.without().contains(Optimization.INLINE);
    // products that readers accumulate are not computed here
    if (joins && addsUp(reader, piece)
        || piece.dx() instanceof Tensor
        || joins && readOnce(reader, piece)) {
      return piece;
    }
    return new BackwardStep.Piece(piece.from(), piece.to(), context.eval(piece.dx()));
  }

  /**
   * Returns true if the piece consists of products that can be accumulated, and each source of the
   * node has one step left.
   */
  private boolean addsUp(NodeReader reader, BackwardStep.Piece piece) {
    return AccumulatedProducts.canAdd(piece, read(reader, piece))
        && read(reader, piece).stream().allMatch(this::isOneStep);
  }

  private boolean readOnce(NodeReader reader, BackwardStep.Piece piece) {
    List<NodeReader.Term> all = read(reader, piece);
    return all.size() == 1 && isOneStep(all.get(0));
  }

  private boolean isOneStep(NodeReader.Term term) {
    return readers.stepsLeft(term.term().node()) == 1;
  }

  private List<NodeReader.Term> read(NodeReader reader, BackwardStep.Piece piece) {
    return reader.terms().stream()
        .filter(t -> t.from() < piece.to() && piece.from() < t.to())
        .filter(t -> needed.contains(t.term().node()))
        .toList();
  }

  // Recurrences

  private void split(Step step, Node.ComponentNode node) {
    NodeReader reader = readers.of(step.node());
    NodeReader own = readers.ofStep(step);
    if (own == null && reader.pieces().isEmpty()) {
      reader.derivatives(memory(step.node(), reader));
    }
    if (own == null
        && times.isAll()
        && !eachStepUpdates
        && graph.nnet().component(node) instanceof Projection p) {
      products.lower(step, p, reader);
      lastStep(step, node, reader);
      return;
    }
    var run = new DerivativeTimes.Run(step.at(), step.at() + step.rows().size());
    var dy = new Rows(step.node(), run, graph.nnet().dim(node), false);
    // Derivatives of steps outside of the time range have no reader.
    boolean some = step.rows().stream().anyMatch(times::has);
    if (some && dy.isZero()) {
      for (BackwardStep.Piece piece : reader.pieces()) {
        context.assign(step.rowsOf((Tensor<F32>) piece.dx()), 0);
      }
    } else if (some && (own != null || !reader.pieces().isEmpty() || eachStepUpdates)) {
      BackwardStep b =
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

  private void lastStep(Step step, Node.ComponentNode node, NodeReader reader) {
    if (readers.stepDone(step.node()) == 0) {
      allSteps(step.node(), node, reader);
    }
  }

  /**
   * Allocates buffers for the derivatives of the inputs from within the recurrence, for all steps.
   */
  private List<BackwardStep.Piece> memory(int node, NodeReader reader) {
    var pieces = new ArrayList<BackwardStep.Piece>();
    long from = 0;
    long end = -1;
    for (NodeReader.Term term : reader.terms()) {
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

  private BackwardStep.Piece piece(NodeReader reader, long from, long to) {
    return new BackwardStep.Piece(
        from, to, context.empty(F32, reader.inputs().size(), sequences.count(), to - from));
  }

  private boolean isInside(int node, NodeReader reader, long from, long to) {
    return reader.terms().stream()
        .anyMatch(t ->
            t.from() < to
                && from < t.to()
                && needed.contains(t.term().node())
                && steps.epoch(t.term().node()) == steps.epoch(node));
  }

  private void store(Step step, NodeReader reader, List<BackwardStep.Piece> said) {
    for (BackwardStep.Piece place : reader.pieces()) {
      Tensor<F32> memory = step.rowsOf((Tensor<F32>) place.dx());
      long done = 0;
      for (BackwardStep.Piece piece : said) {
        long lo = Math.max(piece.from(), place.from());
        long hi = Math.min(piece.to(), place.to());
        if (lo < hi) {
          Expr<F32> dx = ForwardStep.columns(piece.dx(), lo - piece.from(), hi - piece.from());
          context.assign(
              (Tensor<F32>) ForwardStep.columns(memory, lo - place.from(), hi - place.from()), dx);
          done += hi - lo;
        }
      }
      if (done == 0) {
        context.assign(memory, 0);
      }
    }
  }

  /** Returns some rows of a derivative. */
  private static BackwardStep.Piece run(BackwardStep.Piece piece, DerivativeTimes.Run run) {
    return new BackwardStep.Piece(
        piece.from(), piece.to(), piece.dx().slice(range(run.from(), (long) run.to())));
  }

  /** Returns the values that all steps of a recurrent node computed. */
  private Expr<F32> madeBySteps(int node, ComponentBase component) {
    return made(node, readers.rows(node), component, forwardOfSteps(node));
  }

  private ForwardStep forwardOfSteps(int node) {
    DerivativeTimes.Run run = readers.rows(node);
    return forward.forward(
        node,
        readers.ofAllSteps(node).inputs(),
        steps.rows(node).rows().subList(run.from(), run.to()));
  }

  /** Returns the value of forward, or an expression that computes it again. */
  private Expr<F32> made(
      int node, DerivativeTimes.Run run, ComponentBase component, ForwardStep f) {
    Expr<F32> value = forward.value(node);
    if (value == null) {
      return component.forward(f);
    }
    boolean all = run.size() == value.shape().dim(0);
    return all ? value : value.slice(range(run.from(), (long) run.to()));
  }

  /** Computes the remaining derivatives of a recurrent node after its last step. */
  private void allSteps(int number, Node.ComponentNode node, NodeReader reader) {
    DerivativeTimes.Run run = readers.rows(number);
    var dy = new Rows(number, run, graph.nnet().dim(node), true);
    if (dy.isZero()) {
      return;
    }
    BackwardStep b =
        backward(
            node,
            forwardOfSteps(number),
            dy,
            (from, to) -> wants(reader, from, to) && !isInside(number, reader, from, to),
            true,
            request.needModelDerivative() && !eachStepUpdates,
            reader.pieces().stream().map(piece -> run(piece, run)).toList());
    List<BackwardStep.Piece> said = b.pieces().stream().map(p -> stored(reader, p)).toList();
    if (readers.ofAllSteps(number) != reader) {
      readers.ofAllSteps(number).derivatives(said);
      return;
    }
    var all = new ArrayList<>(reader.pieces());
    all.addAll(said);
    reader.derivatives(all);
  }

  /** Derivative of rows of a node, and the value of these rows. */
  private final class Rows implements BackwardStep.Derivative {
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
        return ForwardStep.columns(all, from, to);
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

    Expr<F32> value(ComponentBase component, ForwardStep f) {
      return made(node, new DerivativeTimes.Run(at, at + count), component, f);
    }
  }
}
