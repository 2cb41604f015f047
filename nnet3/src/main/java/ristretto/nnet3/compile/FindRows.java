package ristretto.nnet3.compile;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ObjIntConsumer;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Descriptor;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;
import ristretto.nnet3.TimeReach;

/**
 * Finds the rows that outputs need, for all rows of a node at once, in three passes: possible
 * dependencies, from outputs to inputs; computable rows, from inputs to outputs; rows that are
 * read, from outputs to inputs. It succeeds only if all outputs are computable; {@link
 * GraphBuilder}, which goes row by row, handles every request and explains failures.
 */
final class FindRows {
  /** Upper limit for times and offsets; larger values are not frame numbers. */
  private static final int FARTHEST = 1 << 24;

  /** Maximum number of iterations over a recurrence. */
  private static final int MOST_ROUNDS = 20000;

  private final Nnet nnet;
  private final int nodeCount;
  private final ComputationRequest request;
  private final List<int[]> epochs;
  private final RowSet[] supplied;
  private final RowSet[] wanted;
  private final RowSet[] computable;
  private final RowSet[] needed;
  private final DescriptorRows descriptors;
  private Bounds bounds;

  private FindRows(Nnet nnet, ComputationRequest request) {
    this.nnet = nnet;
    this.nodeCount = nnet.nodes().size();
    this.request = request;
    this.epochs = Epochs.of(nnet);
    this.supplied = sets(2 * nodeCount);
    this.wanted = sets(2 * nodeCount);
    this.computable = sets(2 * nodeCount);
    this.needed = sets(2 * nodeCount);
    this.descriptors = new DescriptorRows(Arrays.asList(computable));
  }

  static RowSet[] sets(int count) {
    var all = new RowSet[count];
    Arrays.setAll(all, _ -> new RowSet());
    return all;
  }

  /**
   * Analyses a request whose rows are shared by all sequences. Returns nothing if an output cannot
   * be computed or times are too large.
   */
  static Optional<ComputationGraph> apply(Nnet nnet, ComputationRequest request) {
    if (!isOrdinary(nnet, request)) {
      return Optional.empty();
    }
    var find = new FindRows(nnet, request);
    find.supply();
    if (!find.want() || !find.compute() || !find.need()) {
      return Optional.empty();
    }
    return Optional.of(
        new ComputationGraph(
            nnet, request, List.of(find.needed), List.of(find.computable), List.of(find.supplied)));
  }

  private static boolean isOrdinary(Nnet nnet, ComputationRequest request) {
    for (List<ComputationRequest.Io> all : List.of(request.inputs(), request.outputs())) {
      for (ComputationRequest.Io io : all) {
        int number = nnet.number(io.name());
        boolean output = number >= 0 && nnet.node(number) instanceof Node.OutputNode;
        boolean range = number >= 0 && nnet.node(number) instanceof Node.DimRangeNode;
        if (number < 0
            || range
            || output != (all == request.outputs())
            || !io.indexes().stream().allMatch(i -> isNear(i.t()) && isNear(i.x()))) {
          return false;
        }
      }
    }
    return !request.outputs().isEmpty()
        && nnet.nodes().stream().allMatch(n -> n.descriptor() == null || isNear(n.descriptor()));
  }

  private static boolean isNear(int t) {
    return t > -FARTHEST && t < FARTHEST;
  }

  private static boolean isNear(Descriptor d) {
    boolean near =
        switch (d) {
          case Descriptor.Offset(var _, int t, int x) -> isNear(t) && isNear(x);
          case Descriptor.ReplaceIndex(var _, var _, int value) -> isNear(value);
          default -> true;
        };
    return near && d.children().stream().allMatch(FindRows::isNear);
  }

  private void supply() {
    var spans = new Bounds.Span[nodeCount];
    Arrays.fill(spans, Bounds.Span.NONE);
    for (ComputationRequest.Io io : request.inputs()) {
      int node = nnet.number(io.name());
      supplied[node] = RowSet.of(io.indexes());
      computable[node].addAll(supplied[node]);
      for (Index row : io.indexes()) {
        spans[node] = spans[node].or(new Bounds.Span(row.t(), row.t()));
      }
    }
    bounds = new Bounds(nnet, epochs, spans);
  }

  private interface Reads {
    void of(int node, RowSet rows, ObjIntConsumer<RowSet> sink);
  }

  /** Collects dependencies from outputs to inputs; returns false if there is no end to them. */
  private boolean follow(RowSet[] all, Reads reads) {
    RowSet[] open = sets(nodeCount);
    ObjIntConsumer<RowSet> add =
        (rows, node) -> {
          Bounds.Span span = bounds.of(node);
          RowSet fresh = rows.within(span.lo(), span.hi()).without(all[node]);
          if (!fresh.isEmpty()) {
            all[node].addAll(fresh);
            open[node].addAll(fresh);
          }
        };
    for (ComputationRequest.Io io : request.outputs()) {
      add.accept(RowSet.of(io.indexes()), nnet.number(io.name()));
    }
    for (int e = epochs.size() - 1; e >= 0; e--) {
      int rounds = 0;
      boolean more = true;
      while (more) {
        more = false;
        for (int node : epochs.get(e)) {
          RowSet rows = open[node].without(supplied[node]);
          open[node] = new RowSet();
          if (!rows.isEmpty()) {
            more = true;
            reads.of(node, rows, add);
          }
        }
        if (rounds++ > MOST_ROUNDS) {
          return false;
        }
      }
    }
    return true;
  }

  // Possible dependencies

  private boolean want() {
    return follow(wanted, this::dependencies);
  }

  private void dependencies(int node, RowSet rows, ObjIntConsumer<RowSet> sink) {
    switch (nnet.node(node)) {
      case Node.InputNode _ -> {}
      case Node.DimRangeNode n -> sink.accept(rows, n.source().node());
      case Node.OutputNode n -> DescriptorRows.dependencies(n.input(), rows, sink);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        RowSet read = rows;
        if (!component.isSimple()) {
          Bounds.Span span = bounds.of(n.input());
          read = inputs(component, rows).within(span.lo(), span.hi());
          wanted[node + nodeCount].addAll(read);
        }
        DescriptorRows.dependencies(n.input(), read, sink);
      }
    }
  }

  /** Returns the input rows on which {@code rows} of a component may depend. */
  static RowSet inputs(Component component, RowSet rows) {
    var all = new RowSet();
    TimeReach reach = component.reach().orElse(null);
    if (reach != null && reach.isFixed()) {
      reach.distances().forEach(t -> all.addAll(rows.shifted(t, 0)));
    } else {
      rows.forEach(row -> component.inputIndexes(row).forEach(all::add));
    }
    return all;
  }

  // Computable rows

  /** Finds the computable rows; returns false if an output row is not computable. */
  private boolean compute() {
    for (int[] epoch : epochs) {
      boolean changed = true;
      while (changed) {
        changed = false;
        for (int node : epoch) {
          RowSet open = wanted[node].without(computable[node]);
          if (!open.isEmpty()) {
            RowSet found = computable(node, open);
            changed |= !found.isEmpty();
            computable[node].addAll(found);
          }
        }
      }
    }
    for (ComputationRequest.Io io : request.outputs()) {
      RowSet there = computable[nnet.number(io.name())];
      if (!io.indexes().stream().allMatch(there::contains)) {
        return false;
      }
    }
    return true;
  }

  private RowSet computable(int node, RowSet rows) {
    return switch (nnet.node(node)) {
      case Node.InputNode _ -> new RowSet();
      case Node.DimRangeNode n -> rows.and(computable[n.source().node()]);
      case Node.OutputNode n -> descriptors.computable(n.input(), rows);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        if (component.isSimple()) {
          yield descriptors.computable(n.input(), rows);
        }
        RowSet there = descriptors.computable(n.input(), wanted[node + nodeCount]);
        computable[node + nodeCount].addAll(there);
        yield computable(component, rows, there);
      }
    };
  }

  private static RowSet computable(Component component, RowSet rows, RowSet there) {
    TimeReach reach = component.reach().orElse(null);
    if (reach == null || !reach.isFixed()) {
      return rows.where(row -> component.isComputable(row, there::contains, _ -> {}));
    }
    RowSet all = rows;
    for (int t : reach.required()) {
      all = all.and(there.shifted(-t, 0));
    }
    return all;
  }

  // Rows that are read

  private boolean need() {
    return follow(needed, this::used);
  }

  private void used(int node, RowSet rows, ObjIntConsumer<RowSet> sink) {
    switch (nnet.node(node)) {
      case Node.InputNode _ -> {}
      case Node.DimRangeNode n -> sink.accept(rows, n.source().node());
      case Node.OutputNode n -> descriptors.used(n.input(), rows, sink);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        RowSet read = rows;
        if (!component.isSimple()) {
          read = used(component, rows, computable[node + nodeCount]);
          needed[node + nodeCount].addAll(read);
        }
        descriptors.used(n.input(), read, sink);
      }
    }
  }

  private static RowSet used(Component component, RowSet rows, RowSet there) {
    TimeReach reach = component.reach().orElse(null);
    if (reach != null && reach.isFixed()) {
      return inputs(component, rows).and(there);
    }
    var all = new RowSet();
    rows.forEach(row -> component.isComputable(row, there::contains, all::add));
    return all;
  }
}
