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
 * The rows that outputs need, and what they depend on. What a component node reads through its
 * descriptor is a row of its own where the component is not simple: its node number is that of the
 * component node plus {@code nodeCount}.
 *
 * @param nnet the network
 * @param request places (see {@link Sequences}) supplied and wanted
 * @param needed by node: the rows that outputs need
 * @param computable by node: rows with a value, those needed among them
 * @param supplied by node: the rows that the user supplies, needed or not
 */
record ComputationGraph(
    Nnet nnet,
    ComputationRequest request,
    List<RowSet> needed,
    List<RowSet> computable,
    List<RowSet> supplied) {

  /**
   * What a request needs.
   *
   * @param request of places
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

  /** The rows of a node that must be computed. */
  RowSet toCompute(int node) {
    return needed.get(node).without(supplied.get(node));
  }

  /** Whether a row of a node has a value that may be read. */
  boolean isAvailable(Cindex c) {
    return computable.get(c.node()).contains(c.index());
  }

  /** Whether what a component node reads has a value at an index. */
  boolean isInputAvailable(int node, Index index) {
    return computable.get(node + nodeCount()).contains(index);
  }

  /** The rows that a row reads. */
  List<Cindex> reads(Cindex c) {
    var all = new HashSet<Cindex>();
    used(c, all::add);
    Cindex[] sorted = all.toArray(new Cindex[0]);
    Arrays.sort(sorted);
    return List.of(sorted);
  }

  /** Passes the rows that a row reads to {@code sink}, some more than once. */
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
