package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;

/**
 * Reference for {@link FindRows}: finds the dependencies of the outputs, breadth first, row by row.
 * A row is expanded only while it is usable, that is while an output needs it through rows that may
 * be computable. This ends recurrences at the first frame whose input is not supplied: a row found
 * not computable releases the rows it would have read.
 */
final class GraphBuilder {
  private static final byte UNKNOWN = 0;
  private static final byte COMPUTABLE = 1;
  private static final byte NOT_COMPUTABLE = 2;

  /** Maximum distance from the outputs; a longer chain of dependencies is taken as infinite. */
  private static final int FARTHEST = 10000;

  private final Nnet nnet;
  private final int nodeCount;
  private final ComputationRequest request;
  private final CindexTable rows = new CindexTable();
  private final List<int[]> reads = new ArrayList<>();
  private final List<IntList> readers = new ArrayList<>();
  private final IntList states = new IntList();
  private final IntList uses = new IntList();
  private final IntList supplied = new IntList();
  private final IntList queued = new IntList();
  private IntList queue = new IntList();
  private IntList next = new IntList();

  private GraphBuilder(Nnet nnet, ComputationRequest request) {
    this.nnet = nnet;
    this.nodeCount = nnet.nodes().size();
    this.request = request;
  }

  /**
   * Builds the graph of a request.
   *
   * @param request with rows shared by all sequences (see {@link RepresentativeSequence})
   * @throws ComputationException if an output cannot be computed
   */
  static RowGraph build(Nnet nnet, ComputationRequest request) {
    var builder = new GraphBuilder(nnet, request);
    builder.grow();
    builder.checkOutputs();
    return builder.prune();
  }

  /** Returns one flag per row of each output, in order: true if the row is computable. */
  static List<boolean[]> computable(Nnet nnet, ComputationRequest request) {
    var builder = new GraphBuilder(nnet, request);
    builder.grow();
    var all = new ArrayList<boolean[]>();
    for (ComputationRequest.Io io : request.outputs()) {
      var flags = new boolean[io.indexes().size()];
      for (int k = 0; k < flags.length; k++) {
        flags[k] = builder.stateOf(builder.output(io), io.indexes().get(k)) == COMPUTABLE;
      }
      all.add(flags);
    }
    return all;
  }

  // Growth

  private void grow() {
    addInputs();
    addOutputs();
    int distance = 0;
    while (!next.isEmpty()) {
      if (distance++ > FARTHEST) {
        throw new ComputationException(
            String.format(
                Locale.ROOT,
                """
                [compile] the dependencies of an output must be finite; got a chain of more than %d rows, ending at %s; correct the descriptors of its recurrence.\
                """,
                FARTHEST,
                name(next.get(next.size() - 1))));
      }
      queue = next;
      next = new IntList();
      while (!queue.isEmpty()) {
        visit(queue.removeLast());
      }
    }
  }

  private void addInputs() {
    for (ComputationRequest.Io io : request.inputs()) {
      int node = nnet.number(io.name());
      if (node < 0
          || !(nnet.node(node) instanceof Node.InputNode
              || nnet.node(node) instanceof Node.ComponentNode)) {
        throw new ComputationException(
            "[compile] an input must be an input or component node; got '%s'; the network has %s."
                .formatted(io.name(), names(Node.InputNode.class)));
      }
      for (Index index : io.indexes()) {
        int row = add(new Cindex(node, index));
        supplied.set(row, 1);
        states.set(row, COMPUTABLE);
        reads.set(row, new int[0]);
      }
    }
  }

  private void addOutputs() {
    if (request.outputs().isEmpty()) {
      throw new ComputationException(
          "[compile] a request must have an output; got none; the network has %s."
              .formatted(names(Node.OutputNode.class)));
    }
    for (ComputationRequest.Io io : request.outputs()) {
      int node = output(io);
      for (Index index : io.indexes()) {
        int row = add(new Cindex(node, index));
        uses.set(row, 1);
        enqueue(row);
      }
    }
  }

  private int output(ComputationRequest.Io io) {
    int node = nnet.number(io.name());
    if (node < 0 || !(nnet.node(node) instanceof Node.OutputNode)) {
      throw new ComputationException(
          "[compile] an output must be an output node; got '%s'; the network has %s."
              .formatted(io.name(), names(Node.OutputNode.class)));
    }
    return node;
  }

  private String names(Class<? extends Node> kind) {
    return String.join(
        ", ", nnet.nodes().stream().filter(kind::isInstance).map(Node::name).toList());
  }

  private int add(Cindex c) {
    int row = rows.add(c);
    if (row == reads.size()) {
      reads.add(null);
      readers.add(new IntList());
      states.add(UNKNOWN);
      uses.add(0);
      supplied.add(0);
      queued.add(0);
    }
    return row;
  }

  private void enqueue(int row) {
    if (queued.get(row) == 0) {
      queued.set(row, 1);
      next.add(row);
    }
  }

  private void visit(int row) {
    queued.set(row, 0);
    if (uses.get(row) == 0) {
      return;
    }
    if (reads.get(row) == null) {
      addReads(row);
      enqueue(row);
    } else if (states.get(row) == UNKNOWN) {
      update(row);
    }
  }

  private void addReads(int row) {
    Cindex c = rows.get(row);
    var found = new IntList();
    dependencies(
        c,
        d -> {
          int to = add(d);
          readers.get(to).add(row);
          found.add(to);
        });
    reads.set(row, found.stream().distinct().toArray());
    if (states.get(row) != NOT_COMPUTABLE) {
      for (int to : reads.get(row)) {
        use(to);
      }
    }
  }

  private void dependencies(Cindex c, Consumer<Cindex> sink) {
    if (c.node() >= nodeCount) {
      nnet.node(c.node() - nodeCount).descriptor().dependencies(c.index(), sink);
      return;
    }
    switch (nnet.node(c.node())) {
      case Node.InputNode n -> {}
      case Node.DimRangeNode n -> sink.accept(new Cindex(n.source().node(), c.index()));
      case Node.OutputNode n -> n.input().dependencies(c.index(), sink);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        if (component.isSimple()) {
          n.input().dependencies(c.index(), sink);
        } else {
          for (Index i : component.inputIndexes(c.index())) {
            sink.accept(new Cindex(c.node() + nodeCount, i));
          }
        }
      }
    }
  }

  /**
   * Adds a use of a row. The first use of a row that may be computable is also a use of each row it
   * reads.
   */
  private void use(int first) {
    var open = new IntList();
    open.add(first);
    while (!open.isEmpty()) {
      int row = open.removeLast();
      uses.set(row, uses.get(row) + 1);
      if (uses.get(row) == 1 && states.get(row) != NOT_COMPUTABLE) {
        if (reads.get(row) != null) {
          Arrays.stream(reads.get(row)).forEach(open::add);
        }
        if (states.get(row) == UNKNOWN || reads.get(row) == null) {
          enqueue(row);
        }
      }
    }
  }

  private void unuse(int[] all) {
    var open = new IntList();
    Arrays.stream(all).forEach(open::add);
    while (!open.isEmpty()) {
      int row = open.removeLast();
      uses.set(row, uses.get(row) - 1);
      if (uses.get(row) == 0 && states.get(row) != NOT_COMPUTABLE && reads.get(row) != null) {
        Arrays.stream(reads.get(row)).forEach(open::add);
      }
    }
  }

  private void update(int row) {
    Cindex c = rows.get(row);
    byte state = UNKNOWN;
    if (isComputable(c, d -> stateOf(d) == COMPUTABLE)) {
      state = COMPUTABLE;
    } else if (!isComputable(c, d -> stateOf(d) != NOT_COMPUTABLE)) {
      state = NOT_COMPUTABLE;
    }
    if (state == UNKNOWN) {
      return;
    }
    states.set(row, state);
    if (state == NOT_COMPUTABLE) {
      unuse(reads.get(row));
    }
    IntList all = readers.get(row);
    for (int k = 0; k < all.size(); k++) {
      int reader = all.get(k);
      if (states.get(reader) == UNKNOWN && uses.get(reader) > 0) {
        enqueue(reader);
      }
    }
  }

  private boolean isComputable(Cindex c, Predicate<Cindex> available) {
    if (c.node() >= nodeCount) {
      return nnet.node(c.node() - nodeCount).descriptor().isComputable(c.index(), available);
    }
    return switch (nnet.node(c.node())) {
      case Node.InputNode n -> false;
      case Node.DimRangeNode n -> available.test(new Cindex(n.source().node(), c.index()));
      case Node.OutputNode n -> n.input().isComputable(c.index(), available);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        yield component.isSimple()
            ? n.input().isComputable(c.index(), available)
            : component.isComputable(
                c.index(), i -> available.test(new Cindex(c.node() + nodeCount, i)), _ -> {});
      }
    };
  }

  private int stateOf(Cindex c) {
    int row = rows.find(c);
    return row < 0 ? UNKNOWN : states.get(row);
  }

  private int stateOf(int node, Index index) {
    return stateOf(new Cindex(node, index));
  }

  // Results

  private void checkOutputs() {
    var missing = new IntList();
    int asked = 0;
    for (ComputationRequest.Io io : request.outputs()) {
      for (Index index : io.indexes()) {
        int row = rows.find(new Cindex(output(io), index));
        asked++;
        if (states.get(row) != COMPUTABLE) {
          missing.add(row);
        }
      }
    }
    if (!missing.isEmpty()) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[compile] each row of an output must be computable; %d of %d are not",
              missing.size(),
              asked));
    }
  }

  private RowGraph prune() {
    var needed = new ArrayList<int[]>();
    var computable = new boolean[rows.size()];
    var given = new boolean[rows.size()];
    for (int row = 0; row < rows.size(); row++) {
      needed.add(null);
      computable[row] = states.get(row) == COMPUTABLE;
      given[row] = supplied.get(row) == 1;
    }
    var open = new IntList();
    for (ComputationRequest.Io io : request.outputs()) {
      io.indexes().forEach(i -> open.add(rows.find(new Cindex(output(io), i))));
    }
    while (!open.isEmpty()) {
      int row = open.removeLast();
      if (needed.get(row) == null) {
        int[] used = used(rows.get(row), given[row]);
        needed.set(row, used);
        Arrays.stream(used).forEach(open::add);
      }
    }
    return new RowGraph(nnet, request, rows, needed, given, computable);
  }

  private int[] used(Cindex c, boolean given) {
    var all = new IntList();
    if (!given) {
      used(c, d -> stateOf(d) == COMPUTABLE, d -> all.add(rows.find(d)));
    }
    return all.stream().distinct().toArray();
  }

  private void used(Cindex c, Predicate<Cindex> available, Consumer<Cindex> sink) {
    if (c.node() >= nodeCount) {
      nnet.node(c.node() - nodeCount).descriptor().used(c.index(), available, sink);
      return;
    }
    switch (nnet.node(c.node())) {
      case Node.InputNode n -> {}
      case Node.DimRangeNode n -> sink.accept(new Cindex(n.source().node(), c.index()));
      case Node.OutputNode n -> n.input().used(c.index(), available, sink);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        if (component.isSimple()) {
          n.input().used(c.index(), available, sink);
        } else {
          component.isComputable(
              c.index(),
              i -> available.test(new Cindex(c.node() + nodeCount, i)),
              i -> sink.accept(new Cindex(c.node() + nodeCount, i)));
        }
      }
    }
  }

  Node node(Cindex c) {
    return nnet.node(c.node() % nodeCount);
  }

  /** Name of a row in messages: {@code affine1(0, 3, 0)}. */
  String name(int row) {
    Cindex c = rows.get(row);
    Node node = node(c);
    String name = c.node() >= nodeCount ? ((Node.ComponentNode) node).inputName() : node.name();
    return name + c.index();
  }
}
