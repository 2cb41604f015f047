package ristretto.nnet3.graph;

import java.util.List;
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
 * Rows that the outputs need, and their dependencies. For a component that is not simple, the input
 * rows that its descriptor gathers are separate rows: their node number is that of the component
 * node plus {@code nodeCount}.
 *
 * @param nnet the network
 * @param request supplied and wanted rows, shared by all sequences (see {@link
 *     RepresentativeSequence})
 * @param needed by node: the rows that outputs need
 * @param computable by node: rows with a value, which include the needed rows
 * @param supplied by node: the rows that the user supplies, needed or not
 */
public record ComputationGraph(
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
  public static ComputationGraph of(Nnet nnet, ComputationRequest request) {
    return FindRows.apply(nnet, request);
  }

  public int nodeCount() {
    return nnet.nodes().size();
  }

  /** Returns the rows of a node that must be computed. */
  public RowSet toCompute(int node) {
    return needed.get(node).without(supplied.get(node));
  }

  /** Returns true if a row of a node has a value. */
  public boolean isAvailable(Cindex c) {
    return computable.get(c.node()).contains(c.index());
  }

  /** Passes the rows that a row reads to {@code sink}, possibly with duplicates. */
  public void used(Cindex c, Consumer<Cindex> sink) {
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
