package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Index;

/** Numbering of the rows of one epoch, that is of nodes that depend on each other. */
public final class EpochRows {
  private final ComputationGraph graph;
  private final Map<Integer, NodeRows> nodes = new TreeMap<>();
  private final Map<Integer, Integer> first = new TreeMap<>();
  private final List<Cindex> rows = new ArrayList<>();

  public EpochRows(ComputationGraph graph, int[] epoch) {
    this.graph = graph;
    for (int node : epoch) {
      List<Index> all = graph.toCompute(node).sorted();
      nodes.put(node, new NodeRows(all));
      first.put(node, rows.size());
      all.forEach(index -> rows.add(new Cindex(node, index)));
    }
  }

  public int size() {
    return rows.size();
  }

  private int number(Cindex c) {
    NodeRows all = nodes.get(c.node());
    int place = all == null ? -1 : all.find(c.index());
    return place < 0 ? -1 : first.get(c.node()) + place;
  }

  /**
   * Returns, for each row, the number of rows of this epoch that it reads.
   *
   * @param readers receives, for each row, the rows that read it
   */
  public int[] reads(int[][] readers) {
    var lists = new IntList[size()];
    var counts = new int[size()];
    for (int row = 0; row < counts.length; row++) {
      lists[row] = new IntList();
    }
    for (int row = 0; row < counts.length; row++) {
      for (int read : reads(rows.get(row))) {
        lists[read].add(row);
        counts[row]++;
      }
    }
    for (int row = 0; row < counts.length; row++) {
      readers[row] = lists[row].toArray();
    }
    return counts;
  }

  /**
   * Returns the rows that a row reads; reads of a component's input row count as reads of the
   * component.
   */
  private int[] reads(Cindex c) {
    var all = new IntList();
    graph.used(
        c,
        read -> {
          if (read.node() < graph.nodeCount()) {
            add(read, all);
          } else {
            graph.used(read, d -> add(d, all));
          }
        });
    return all.size() < 2 ? all.toArray() : all.stream().distinct().toArray();
  }

  private void add(Cindex read, IntList to) {
    int number = number(read);
    if (number >= 0) {
      to.add(number);
    }
  }

  /** Groups rows by node, each node's rows in order. */
  public Map<Integer, List<Index>> byNode(IntList some) {
    var all = new TreeMap<Integer, List<Index>>();
    some.stream()
        .sorted()
        .mapToObj(rows::get)
        .forEach(c -> all.computeIfAbsent(c.node(), _ -> new ArrayList<>()).add(c.index()));
    return all;
  }

  /** Names the first rows with unresolved dependencies, at most {@code most}. */
  public String names(int[] left, int most) {
    return IntStream.range(0, left.length)
        .filter(row -> left[row] > 0)
        .mapToObj(rows::get)
        .sorted()
        .limit(most)
        .map(c -> graph.nnet().node(c.node()).name() + c.index())
        .collect(Collectors.joining(", "));
  }
}
