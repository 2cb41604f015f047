package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Node;

/**
 * The order in which rows are computed. Each step is of one node and comes after all that it reads;
 * each requested input or output is one step. A node that is no part of a recurrence is one step;
 * one that is has a step for each phase, mostly each t.
 */
final class Steps {
  private final ComputationGraph graph;
  private final Map<Integer, List<List<Index>>> computed = new HashMap<>();
  private final Map<Integer, List<Index>> given = new HashMap<>();
  private final List<Integer> order = new ArrayList<>();
  private final Map<Integer, NodeRows> nodes = new HashMap<>();
  private final List<Step> steps = new ArrayList<>();

  private final int[] epochOf;

  private Steps(ComputationGraph graph) {
    this.graph = graph;
    this.epochOf = new int[graph.nodeCount()];
  }

  /**
   * Orders what a graph holds.
   *
   * @throws ComputationException if rows depend on themselves
   */
  static Steps of(ComputationGraph graph) {
    var steps = new Steps(graph);
    steps.supplied();
    steps.phases();
    steps.place();
    return steps;
  }

  /** All steps, in order. */
  List<Step> all() {
    return steps;
  }

  /** The rows of a node that is an input, a component or an output; null if none is needed. */
  NodeRows rows(int node) {
    return nodes.get(node);
  }

  /** Nodes have the same number if they depend on each other. */
  int epoch(int node) {
    return epochOf[node];
  }

  private void supplied() {
    for (ComputationRequest.Io io : graph.request().inputs()) {
      int node = graph.nnet().number(io.name());
      given.put(node, io.indexes().stream().sorted().toList());
    }
  }

  // Phases

  private void phases() {
    List<int[]> epochs = Epochs.of(graph.nnet());
    for (int e = 0; e < epochs.size(); e++) {
      for (int node : epochs.get(e)) {
        epochOf[node] = e;
      }
    }
    var members = new ArrayList<Ints>();
    epochs.forEach(_ -> members.add(new Ints()));
    Cindexes rows = graph.rows();
    for (int row = 0; row < rows.size(); row++) {
      int node = rows.get(row).node();
      if (graph.isNeeded(row) && !graph.supplied()[row] && node < graph.nodeCount()) {
        members.get(epochOf[node]).add(row);
      }
    }
    var layer = new int[rows.size()];
    for (Ints epoch : members) {
      if (!epoch.isEmpty()) {
        layers(epoch.toArray(), layer);
      }
    }
  }

  /** A phase holds the rows of an epoch whose reads within it are in earlier phases. */
  private void layers(int[] members, int[] layer) {
    for (int row : members) {
      layer[row] = -1;
    }
    var left = new HashMap<Integer, Integer>();
    var readers = new HashMap<Integer, Ints>();
    List<Integer> open = new ArrayList<>();
    for (int row : members) {
      int[] inside = Arrays.stream(reads(row)).filter(r -> layer[r] == -1).toArray();
      left.put(row, inside.length);
      for (int read : inside) {
        readers.computeIfAbsent(read, _ -> new Ints()).add(row);
      }
      if (inside.length == 0) {
        open.add(row);
      }
    }
    int done = 0;
    while (!open.isEmpty()) {
      var next = new ArrayList<Integer>();
      for (int row : open) {
        Ints all = readers.getOrDefault(row, new Ints());
        for (int k = 0; k < all.size(); k++) {
          if (left.merge(all.get(k), -1, Integer::sum) == 0) {
            next.add(all.get(k));
          }
        }
      }
      phase(open);
      done += open.size();
      open = next;
    }
    if (done < members.length) {
      String cycle =
          left.entrySet().stream()
              .filter(e -> e.getValue() > 0)
              .map(e -> graph.rows().get(e.getKey()))
              .sorted()
              .limit(5)
              .map(c -> graph.nnet().node(c.node()).name() + c.index())
              .collect(Collectors.joining(", "));
      throw new ComputationException(
          """
          [compile] no row may depend on itself; got a cycle through %s; use Offset so that a \
          recurrence goes one way in time.\
          """
              .formatted(cycle));
    }
    for (int row : members) {
      layer[row] = 0;
    }
  }

  /** What a row reads of nodes: what a component's input row reads counts as the component's. */
  private int[] reads(int row) {
    int[] direct = graph.reads().get(row);
    boolean simple = true;
    for (int read : direct) {
      simple &= graph.rows().get(read).node() < graph.nodeCount();
    }
    return simple
        ? direct
        : Arrays.stream(direct)
            .flatMap(read -> Arrays.stream(graph.reads().get(read)))
            .distinct()
            .toArray();
  }

  private void phase(List<Integer> members) {
    var byNode = new TreeMap<Integer, List<Index>>();
    for (int row : members) {
      Cindex c = graph.rows().get(row);
      byNode.computeIfAbsent(c.node(), _ -> new ArrayList<>()).add(c.index());
    }
    byNode.forEach((node, rows) -> {
      Node n = graph.nnet().node(node);
      if (n instanceof Node.DimRangeNode) {
        return;
      }
      rows.sort(null);
      computed.computeIfAbsent(node, _ -> new ArrayList<>()).add(ordered(n, rows));
      order.add(node);
    });
  }

  private List<Index> ordered(Node node, List<Index> rows) {
    if (node instanceof Node.OutputNode) {
      for (ComputationRequest.Io io : graph.request().outputs()) {
        if (io.name().equals(node.name())) {
          return io.indexes();
        }
      }
    }
    return rows;
  }

  // Places

  private void place() {
    given.forEach((node, rows) -> nodes.put(node, rowsOf(node)));
    computed.keySet().forEach(node -> nodes.computeIfAbsent(node, this::rowsOf));
    for (ComputationRequest.Io io : graph.request().inputs()) {
      int node = graph.nnet().number(io.name());
      List<Index> rows = given.get(node);
      steps.add(new Step(node, rows, rows, nodes.get(node).find(rows.get(0)), true));
    }
    var next = new HashMap<Integer, Integer>();
    for (int node : order) {
      int k = next.merge(node, 1, Integer::sum) - 1;
      List<Index> rows = computed.get(node).get(k);
      steps.add(new Step(node, rows, inputs(node, rows), nodes.get(node).find(rows.get(0)), false));
    }
  }

  /** Sorted by t where each step lies together then, else in the order of steps. */
  private NodeRows rowsOf(int node) {
    var parts = new ArrayList<List<Index>>();
    if (given.containsKey(node)) {
      parts.add(given.get(node));
    }
    parts.addAll(computed.getOrDefault(node, List.of()));
    if (parts.size() == 1) {
      return new NodeRows(parts.get(0));
    }
    var inOrder = new ArrayList<Index>();
    parts.forEach(inOrder::addAll);
    var sorted = new NodeRows(inOrder.stream().sorted().toList());
    return parts.stream().allMatch(sorted::isRun) ? sorted : new NodeRows(inOrder);
  }

  private List<Index> inputs(int node, List<Index> rows) {
    if (!(graph.nnet().node(node) instanceof Node.ComponentNode n)
        || graph.nnet().component(n).isSimple()) {
      return rows;
    }
    var all = new TreeSet<Index>();
    for (Index index : rows) {
      for (int read : graph.reads().get(graph.rows().find(new Cindex(node, index)))) {
        all.add(graph.rows().get(read).index());
      }
    }
    return List.copyOf(all);
  }
}
