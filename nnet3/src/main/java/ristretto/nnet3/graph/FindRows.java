package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ObjIntConsumer;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.TimeOffsets;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;

/**
 * Finds the rows that outputs need, for all rows of a node at once, in three passes: possible
 * dependencies, from outputs to inputs; computable rows, from inputs to outputs; rows that are
 * read, from outputs to inputs.
 */
public final class FindRows {
  /** Maximum length of a chain of dependencies; longer chains are taken as infinite. */
  private static final int LONGEST = 20000;

  /** Number of iterations over a recurrence before rows that cannot be computed are removed. */
  private static final int FIRST_ROUNDS = 1024;

  private final Nnet nnet;
  private final int nodeCount;
  private final ComputationRequest request;
  private final List<int[]> epochs;
  private final RowSet[] supplied;
  private final RowSet[] wanted;
  private final RowSet[] computable;
  private final RowSet[] needed;

  /** By node: rows removed because they cannot be computed; see {@link #want}. */
  private final RowSet[] refused;

  private final ComputableRows known;
  private TimeBounds bounds;
  private boolean isPruned;

  private FindRows(Nnet nnet, ComputationRequest request) {
    this.nnet = nnet;
    this.nodeCount = nnet.nodes().size();
    this.request = request;
    this.epochs = Epochs.of(nnet);
    this.supplied = sets(2 * nodeCount);
    this.wanted = sets(2 * nodeCount);
    this.computable = sets(2 * nodeCount);
    this.needed = sets(2 * nodeCount);
    this.refused = sets(nodeCount);
    this.known = new ComputableRows(computable);
  }

  private static RowSet[] sets(int count) {
    var all = new RowSet[count];
    Arrays.setAll(all, _ -> new RowSet());
    return all;
  }

  /**
   * Analyses a request whose rows are shared by all sequences.
   *
   * @throws ComputationException if an output cannot be computed
   */
  static ComputationGraph apply(Nnet nnet, ComputationRequest request) {
    var find = new FindRows(nnet, request);
    find.compute();
    var graph =
        new ComputationGraph(
            nnet, request, List.of(find.needed), List.of(find.computable), List.of(find.supplied));
    find.checkOutputs(graph);
    find.need();
    return graph;
  }

  /** Returns one flag per row of each output, in order: true if the row is computable. */
  static List<boolean[]> computableOutputs(Nnet nnet, ComputationRequest request) {
    var find = new FindRows(nnet, request);
    find.compute();
    var all = new ArrayList<boolean[]>();
    for (ComputationRequest.Io io : request.outputs()) {
      RowSet there = find.computable[nnet.number(io.name())];
      var flags = new boolean[io.indexes().size()];
      for (int k = 0; k < flags.length; k++) {
        flags[k] = there.contains(io.indexes().get(k));
      }
      all.add(flags);
    }
    return all;
  }

  // Nodes of the request

  private void checkNodes() {
    for (ComputationRequest.Io io : request.inputs()) {
      int node = nnet.number(io.name());
      if (node < 0
          || !(nnet.node(node) instanceof Node.InputNode
              || nnet.node(node) instanceof Node.ComponentNode)) {
        throw new ComputationException(
            "[compile] an input must be an input or component node; got '%s'; the network has %s."
                .formatted(io.name(), names(Node.InputNode.class)));
      }
    }
    if (request.outputs().isEmpty()) {
      throw new ComputationException(
          "[compile] a request must have an output; got none; the network has %s."
              .formatted(names(Node.OutputNode.class)));
    }
    for (ComputationRequest.Io io : request.outputs()) {
      int node = nnet.number(io.name());
      if (node < 0 || !(nnet.node(node) instanceof Node.OutputNode)) {
        throw new ComputationException(
            "[compile] an output must be an output node; got '%s'; the network has %s."
                .formatted(io.name(), names(Node.OutputNode.class)));
      }
    }
  }

  private String names(Class<? extends Node> kind) {
    return String.join(
        ", ", nnet.nodes().stream().filter(kind::isInstance).map(Node::name).toList());
  }

  private void supply() {
    var spans = new TimeBounds.Span[nodeCount];
    Arrays.fill(spans, TimeBounds.Span.NONE);
    for (ComputationRequest.Io io : request.inputs()) {
      int node = nnet.number(io.name());
      supplied[node] = RowSet.of(io.indexes());
      computable[node].addAll(supplied[node]);
      for (Index row : io.indexes()) {
        spans[node] = spans[node].or(new TimeBounds.Span(row.t(), row.t()));
      }
    }
    bounds = new TimeBounds(nnet, epochs, spans);
  }

  // Dependencies

  /** Passes the rows that rows of a node read to a sink. */
  private interface Reads {
    void of(int node, RowSet rows, ObjIntConsumer<RowSet> sink);
  }

  /** Selects the rows of a node that may be added to a set. */
  private interface Filter {
    RowSet of(int node, RowSet rows);
  }

  /**
   * Rows found so far by following dependencies from the outputs.
   *
   * @param all by node: rows found
   * @param open by node: rows of {@code all} whose dependencies are not followed yet
   * @param ends by node: rows whose dependencies are not followed
   */
  private record Search(RowSet[] all, RowSet[] open, RowSet[] ends) {
    void add(int node, RowSet rows) {
      RowSet fresh = rows.without(all[node]);
      if (!fresh.isEmpty()) {
        all[node].addAll(fresh);
        open[node].addAll(fresh);
      }
    }
  }

  private Search fromOutputs(RowSet[] all, RowSet[] ends, Filter filter) {
    var search = new Search(all, sets(nodeCount), ends);
    for (ComputationRequest.Io io : request.outputs()) {
      int node = nnet.number(io.name());
      search.add(node, filter.of(node, RowSet.of(io.indexes())));
    }
    return search;
  }

  /**
   * Follows dependencies from outputs to inputs.
   *
   * @param rounds maximum number of iterations over a recurrence
   * @return false if open rows are left
   */
  private boolean follow(Search search, Reads reads, Filter filter, int rounds) {
    boolean done = true;
    ObjIntConsumer<RowSet> add = (rows, node) -> search.add(node, filter.of(node, rows));
    for (int[] epoch : epochs.reversed()) {
      boolean more = true;
      for (int round = 0; more && round < rounds; round++) {
        more = false;
        for (int node : epoch) {
          RowSet rows = search.open[node].without(search.ends[node]);
          search.open[node] = new RowSet();
          if (!rows.isEmpty()) {
            more = true;
            reads.of(node, rows, add);
          }
        }
      }
      done &= !more;
    }
    return done;
  }

  // Possible dependencies

  /**
   * Finds the rows on which the outputs may depend. Where a recurrence has no bounds, rows that
   * cannot be computed are removed now and then, with the rows that only they read.
   */
  private void want() {
    Search search = fromOutputs(wanted, supplied, this::possible);
    int rounds = FIRST_ROUNDS;
    int done = 0;
    while (!follow(search, this::dependencies, this::possible, rounds)) {
      done += rounds;
      if (done >= LONGEST) {
        throw new ComputationException(
            String.format(
                Locale.ROOT,
                """
                [compile] the dependencies of an output must be finite; got a chain of more than %d rows, ending at %s; correct the descriptors of its recurrence.\
                """,
                LONGEST,
                openRow(search)));
      }
      prune(search);
      rounds = Math.min(done, LONGEST - done);
    }
  }

  private String openRow(Search search) {
    for (int node = 0; node < nodeCount; node++) {
      if (!search.open[node].isEmpty()) {
        return nnet.node(node).name() + search.open[node].sorted().getLast();
      }
    }
    throw new IllegalStateException();
  }

  private RowSet possible(int node, RowSet rows) {
    TimeBounds.Span span = bounds.of(node);
    RowSet within = rows.within(span.lo(), span.hi());
    return isPruned ? within.without(refused[node]) : within;
  }

  /**
   * Removes rows that cannot be computed even if all open rows can be, and rows that outputs need
   * for such rows only.
   */
  private void prune(Search search) {
    isPruned = true;
    RowSet[] left = sets(2 * nodeCount);
    RowSet[] ends = sets(nodeCount);
    for (int node = 0; node < nodeCount; node++) {
      left[node].addAll(wanted[node]);
      ends[node].addAll(search.open[node]);
      ends[node].addAll(supplied[node]);
    }
    refuse(left, ends);
    Filter isLeft = (node, rows) -> rows.and(left[node]);
    Search again = fromOutputs(sets(nodeCount), ends, isLeft);
    follow(again, this::dependencies, isLeft, Integer.MAX_VALUE);
    for (int node = 0; node < nodeCount; node++) {
      wanted[node] = again.all[node];
      search.open[node] = search.open[node].and(again.all[node]);
    }
  }

  /** Removes the rows that cannot be computed from the rest, except {@code ends}. */
  private void refuse(RowSet[] left, RowSet[] ends) {
    var rest = new ComputableRows(left);
    for (int[] epoch : epochs) {
      boolean changed = true;
      while (changed) {
        changed = false;
        for (int node : epoch) {
          RowSet rows = left[node].without(ends[node]);
          RowSet gone = rows.without(rest.of(node, rows));
          if (!gone.isEmpty()) {
            changed = true;
            left[node] = left[node].without(gone);
            refused[node].addAll(gone);
          }
        }
      }
    }
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
          TimeBounds.Span span = bounds.of(n.input());
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
    TimeOffsets reach = component.reach().orElse(null);
    if (reach != null && reach.isFixed()) {
      reach.distances().forEach(t -> all.addAll(rows.shifted(t, 0)));
    } else {
      rows.forEach(row -> component.inputIndexes(row).forEach(all::add));
    }
    return all;
  }

  // Computable rows

  private void compute() {
    checkNodes();
    supply();
    want();
    for (int[] epoch : epochs) {
      boolean changed = true;
      while (changed) {
        changed = false;
        for (int node : epoch) {
          RowSet open = wanted[node].without(computable[node]);
          if (!open.isEmpty()) {
            RowSet found = known.of(node, open);
            changed |= !found.isEmpty();
            computable[node].addAll(found);
          }
        }
      }
    }
  }

  private void checkOutputs(ComputationGraph graph) {
    var missing = new ArrayList<Cindex>();
    int asked = 0;
    for (ComputationRequest.Io io : request.outputs()) {
      int node = nnet.number(io.name());
      asked += io.indexes().size();
      io.indexes().stream()
          .filter(row -> !computable[node].contains(row))
          .forEach(row -> missing.add(new Cindex(node, row)));
    }
    if (!missing.isEmpty()) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[compile] each row of an output must be computable; %d of %d are not:\n%s",
              missing.size(),
              asked,
              new ExplainNotComputable(graph).rows(missing)));
    }
  }

  /** Rows that can be computed from rows with known values. */
  private final class ComputableRows {
    private final RowSet[] values;
    private final DescriptorRows descriptors;

    /**
     * @param values by node: rows with a value; those of inputs of components are set here
     */
    ComputableRows(RowSet[] values) {
      this.values = values;
      this.descriptors = new DescriptorRows(Arrays.asList(values));
    }

    /** Returns those of {@code rows} that can be computed. */
    RowSet of(int node, RowSet rows) {
      return switch (nnet.node(node)) {
        case Node.InputNode _ -> new RowSet();
        case Node.DimRangeNode n -> rows.and(values[n.source().node()]);
        case Node.OutputNode n -> descriptors.computable(n.input(), rows);
        case Node.ComponentNode n -> {
          Component component = nnet.component(n);
          if (component.isSimple()) {
            yield descriptors.computable(n.input(), rows);
          }
          RowSet inputs = descriptors.computable(n.input(), wanted[node + nodeCount]);
          values[node + nodeCount] = inputs;
          yield computable(component, rows, inputs);
        }
      };
    }
  }

  private static RowSet computable(Component component, RowSet rows, RowSet there) {
    TimeOffsets reach = component.reach().orElse(null);
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

  private void need() {
    Filter all = (_, rows) -> rows;
    follow(fromOutputs(needed, supplied, all), this::used, all, Integer.MAX_VALUE);
  }

  private void used(int node, RowSet rows, ObjIntConsumer<RowSet> sink) {
    switch (nnet.node(node)) {
      case Node.InputNode _ -> {}
      case Node.DimRangeNode n -> sink.accept(rows, n.source().node());
      case Node.OutputNode n -> known.descriptors.used(n.input(), rows, sink);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        RowSet read = rows;
        if (!component.isSimple()) {
          read = used(component, rows, computable[node + nodeCount]);
          needed[node + nodeCount].addAll(read);
        }
        known.descriptors.used(n.input(), read, sink);
      }
    }
  }

  private static RowSet used(Component component, RowSet rows, RowSet there) {
    TimeOffsets reach = component.reach().orElse(null);
    if (reach != null && reach.isFixed()) {
      return inputs(component, rows).and(there);
    }
    var all = new RowSet();
    rows.forEach(row -> component.isComputable(row, there::contains, all::add));
    return all;
  }
}
