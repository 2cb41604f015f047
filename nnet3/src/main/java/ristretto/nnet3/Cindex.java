package ristretto.nnet3;

/**
 * Row of a node; the unit of dependencies in a computation. Ordered by node, then {@link Index}.
 *
 * @param node number of the node in its network
 * @param index the row
 */
public record Cindex(int node, Index index) implements Comparable<Cindex> {
  @Override
  public int compareTo(Cindex o) {
    int c = Integer.compare(node, o.node);
    return c != 0 ? c : index.compareTo(o.index);
  }
}
