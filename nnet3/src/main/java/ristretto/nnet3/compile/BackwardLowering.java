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
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.GradientSink;
import ristretto.nnet3.forward.Resident;

/**
 * The steps backwards. Each asks its component for the derivatives of what it read, given the
 * derivative of its value, which is a sum over its readers (see {@link Derivatives}).
 *
 * <p>Of a node with several steps, each step says the derivatives of what it read from within the
 * recurrence, into memory for all steps. What it read from outside, and parameters, come after the
 * first step, for all steps at once.
 */
final class BackwardLowering {
  private final Lowering forward;
  private final Context context;
  private final ComputationGraph graph;
  private final Steps steps;
  private final Sequences sequences;
  private final ComputationRequest request;
  private final GradientSink sink;
  private final Aliases aliases;
  private final Needed needed;
  private final Derivatives derivatives;

  /** Of a node with one step, or of all steps of a recurrent one. */
  private final Map<Integer, Reader> readers = new HashMap<>();

  /** What is in memory of the derivatives of nodes with several steps. */
  private final Map<Integer, Tensor<F32>> memories = new HashMap<>();

  /** How many rows of it the steps have written. */
  private final Map<Integer, Integer> filled = new HashMap<>();

  private final Map<Integer, Integer> stepsLeft = new HashMap<>();

  BackwardLowering(
      Lowering forward,
      Resident resident,
      Structure structure,
      Sequences sequences,
      ComputationRequest request,
      GradientSink sink) {
    this.forward = forward;
    this.context = resident.context();
    this.graph = structure.graph();
    this.steps = structure.steps();
    this.sequences = sequences;
    this.request = request;
    this.sink = sink;
    this.aliases = Aliases.backward(graph);
    this.needed = new Needed(graph, request, sink);
    this.derivatives = new Derivatives(resident, sequences.count());
  }

  /** Computes the derivatives of inputs from those of outputs, both by node name. */
  void run(Map<String, Tensor<F32>> outputDerivs, Map<String, Tensor<F32>> inputDerivs) {
    survey();
    for (int k = steps.all().size() - 1; k >= 0; k--) {
      Step step = steps.all().get(k);
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
          && outputDerivs.get(node.name()) instanceof Tensor<F32> given) {
        Expr<F32> dy =
            forward
                .boundary()
                .in(given, Lowering.asked(request.outputs(), node), steps.rows(step.node()));
        readers.get(step.node()).derivatives(List.of(new Backward.Piece(0, dy.shape().dim(2), dy)));
      }
    }
  }

  /** Finds who reads what. */
  private void survey() {
    for (Step step : steps.all()) {
      if (step.supplied() || aliases.isAlias(step.node()) || !needed.contains(step.node())) {
        continue;
      }
      stepsLeft.merge(step.node(), 1, Integer::sum);
      if (!readers.containsKey(step.node())) {
        List<Index> inputs = step.inputs();
        if (forward.isSplit(step)) {
          inputs = steps.rows(step.node()).rows();
        }
        Node node = graph.nnet().node(step.node());
        var reader =
            new Reader(inputs, Gathered.of(graph, steps, aliases, node.descriptor(), inputs));
        readers.put(step.node(), reader);
        derivatives.add(reader);
      }
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
          .out(wanted, dx, Lowering.asked(request.inputs(), node), new NodeRows(step.rows()));
    }
  }

  private void component(Step step, Node.ComponentNode node) {
    if (forward.isSplit(step)) {
      split(step, node);
      return;
    }
    Reader reader = readers.get(step.node());
    var dy = new Rows(step.node(), 0, step.rows().size(), graph.nnet().dim(node));
    if (dy.isZero()) {
      return;
    }
    Backward b =
        backward(node, forward.forward(step), dy, (from, to) -> wants(reader, from, to), true);
    reader.derivatives(b.pieces().stream().map(piece -> stored(reader, piece)).toList());
  }

  private Backward backward(
      Node.ComponentNode node, Forward f, Rows dy, Backward.Wanted wanted, boolean whole) {
    var component = (ComponentBase) graph.nnet().component(node);
    var b =
        new Backward(
            component,
            f,
            () -> dy.value(component, f),
            dy,
            wanted,
            whole,
            whole && request.needModelDerivative(),
            sink);
    component.backward(b);
    return b;
  }

  private boolean wants(Reader reader, long from, long to) {
    return reader.terms().stream()
        .anyMatch(t -> t.from() < to && from < t.to() && needed.contains(t.term().node()));
  }

  /** In memory, unless one reads it, once, or readers add it up themselves. */
  private Backward.Piece stored(Reader reader, Backward.Piece piece) {
    if (addsUp(reader, piece) || piece.dx() instanceof Tensor || readOnce(reader, piece)) {
      return piece;
    }
    return new Backward.Piece(piece.from(), piece.to(), context.eval(piece.dx()));
  }

  /** Whether it is products that can be added up where each of those that read it is one step. */
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
    if (reader.pieces().isEmpty()) {
      reader.derivatives(memory(step.node(), reader));
    }
    var dy = new Rows(step.node(), step.at(), step.rows().size(), graph.nnet().dim(node));
    if (dy.isZero()) {
      for (Backward.Piece piece : reader.pieces()) {
        context.assign(run(step, (Tensor<F32>) piece.dx()), 0);
      }
    } else if (!reader.pieces().isEmpty()) {
      Backward b =
          backward(
              node,
              forward.forward(step),
              dy,
              (from, to) -> isInside(step.node(), reader, from, to),
              false);
      store(step, reader, b.pieces());
    }
    if (stepsLeft.merge(step.node(), -1, Integer::sum) == 0) {
      allSteps(step.node(), node, reader);
    }
  }

  /** Memory for what all steps say about what they read from within the recurrence. */
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

  private static Tensor<F32> run(Step step, Tensor<F32> memory) {
    return memory.slice(range(step.at(), step.at() + (long) step.rows().size()));
  }

  /** What is left to say when all steps are done. */
  private void allSteps(int number, Node.ComponentNode node, Reader reader) {
    List<Index> rows = steps.rows(number).rows();
    var dy = new Rows(number, 0, rows.size(), graph.nnet().dim(node));
    if (dy.isZero()) {
      return;
    }
    Backward b =
        backward(
            node,
            forward.forward(number, reader.inputs(), rows),
            dy,
            (from, to) -> wants(reader, from, to) && !isInside(number, reader, from, to),
            true);
    var all = new ArrayList<>(reader.pieces());
    b.pieces().forEach(piece -> all.add(stored(reader, piece)));
    reader.derivatives(all);
  }

  /** The derivative of rows of a node, and their value. */
  private final class Rows implements Backward.Derivative {
    private final int node;
    private final int at;
    private final int count;
    private final long dim;
    private final Expr<F32> all;

    Rows(int node, int at, int count, long dim) {
      this.node = node;
      this.at = at;
      this.count = count;
      this.dim = dim;
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
      int size = steps.rows(node).size();
      if (size == count) {
        boolean complete = filled.getOrDefault(node, 0) == size;
        return complete ? memories.get(node) : all instanceof Tensor<F32> t ? t : context.eval(all);
      }
      Tensor<F32> memory =
          memories.computeIfAbsent(node, _ -> context.empty(F32, size, sequences.count(), dim));
      Tensor<F32> run = memory.slice(range(at, at + (long) count));
      context.assign(run, all);
      filled.merge(node, count, Integer::sum);
      return run;
    }

    Expr<F32> value(ComponentBase component, Forward f) {
      Expr<F32> value = forward.value(node);
      return value == null
          ? component.forward(f)
          : count == value.shape().dim(0) ? value : value.slice(range(at, at + (long) count));
    }
  }
}
