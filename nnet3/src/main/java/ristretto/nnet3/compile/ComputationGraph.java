package ristretto.nnet3.compile;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;

/**
 * Rows that the outputs need, and their dependencies. For a component that is not simple, the input
 * rows that its descriptor gathers are separate rows: their node number is that of the component
 * node plus {@code nodeCount}.
 *
 * @param nnet the network
 * @param request supplied and wanted rows, shared by all sequences (see {@link Sequences})
 * @param needed by node: the rows that outputs need
 * @param computable by node: rows with a value, which include the needed rows
 * @param supplied by node: the rows that the user supplies, needed or not
 */
record ComputationGraph(
    Nnet nnet,
    ComputationRequest request,
    List<RowSet> needed,
    List<RowSet> computable,
    List<RowSet> supplied) {

  /**
   * Analyses a request.
   *
   * @param request with rows shared by all sequences
   * @throws ComputationException if an output cannot be computed
   */
  static ComputationGraph of(Nnet nnet, ComputationRequest request) {
    return FindRows.apply(nnet, request).orElseGet(() -> of(GraphBuilder.build(nnet, request)));
  }

  private static ComputationGraph of(RowGraph rows) {
    RowSet[] needed = FindRows.sets(2 * rows.nodeCount());
    RowSet[] computable = FindRows.sets(2 * rows.nodeCount());
    RowSet[] supplied = FindRows.sets(2 * rows.nodeCount());
    for (int row = 0; row < rows.rows().size(); row++) {
      Cindex c = rows.rows().get(row);
      if (rows.isNeeded(row)) {
        needed[c.node()].add(c.index());
      }
      if (rows.computable()[row]) {
        computable[c.node()].add(c.index());
      }
      if (rows.supplied()[row]) {
        supplied[c.node()].add(c.index());
      }
    }
    return new ComputationGraph(
        rows.nnet(), rows.request(), List.of(needed), List.of(computable), List.of(supplied));
  }

  int nodeCount() {
    return nnet.nodes().size();
  }

  /** Returns the rows of a node that must be computed. */
  RowSet toCompute(int node) {
    return needed.get(node).without(supplied.get(node));
  }

  /** Returns true if a row of a node has a value. */
  boolean isAvailable(Cindex c) {
    return computable.get(c.node()).contains(c.index());
  }

  /** Returns true if the input row of a component node at an index has a value. */
  boolean isInputAvailable(int node, Index index) {
    return computable.get(node + nodeCount()).contains(index);
  }

  /** Returns the rows that a row reads, sorted. */
  List<Cindex> reads(Cindex c) {
    var all = new HashSet<Cindex>();
    used(c, all::add);
    Cindex[] sorted = all.toArray(new Cindex[0]);
    Arrays.sort(sorted);
    return List.of(sorted);
  }

  /** Passes the rows that a row reads to {@code sink}, possibly with duplicates. */
  void used(Cindex c, Consumer<Cindex> sink) {
    if (c.node() >= nodeCount()) {
      nnet.node(c.node() - nodeCount()).descriptor().used(c.index(), this::isAvailable, sink);
      return;
    }
    if (supplied.get(c.node()).contains(c.index())) {
      return;
    }
    switch (nnet.node(c.node())) {
      case Node.InputNode n -> {}
      case Node.DimRangeNode n -> sink.accept(new Cindex(n.source().node(), c.index()));
      case Node.OutputNode n -> n.input().used(c.index(), this::isAvailable, sink);
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        if (component.isSimple()) {
          n.input().used(c.index(), this::isAvailable, sink);
        } else {
          Predicate<Index> available = computable.get(c.node() + nodeCount())::contains;
          component.isComputable(
              c.index(), available, i -> sink.accept(new Cindex(c.node() + nodeCount(), i)));
        }
      }
    }
  }
}
