package ristretto.nnet3.lower;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;
import ristretto.nnet3.graph.EpochRows;
import ristretto.nnet3.graph.Epochs;
import ristretto.nnet3.graph.IntList;
import ristretto.nnet3.graph.NodeRows;

/**
 * Order in which rows are computed. Each step has rows of one node and comes after all steps that
 * it reads; each requested input or output is one step. A node outside of recurrences is one step;
 * a node of a recurrence has one step per phase, mostly one per time step.
 */
public final class Steps {
  /** Maximum number of rows of a cycle that a message names. */
  private static final int MOST_NAMES = 5;

  private final ComputationGraph graph;
  private final Map<Integer, List<List<Index>>> computed = new HashMap<>();
  private final Map<Integer, List<Index>> given;
  private final List<Integer> order = new ArrayList<>();
  private final Map<Integer, NodeRows> nodes;
  private final List<Step> steps = new ArrayList<>();

  private final int[] epochOf;

  /** Dimensions of descriptor parts, by identity: many steps share few descriptors. */
  private final Map<Descriptor, Integer> dims = new IdentityHashMap<>();

  private Steps(
      ComputationGraph graph,
      int[] epochOf,
      Map<Integer, NodeRows> nodes,
      Map<Integer, List<Index>> given) {
    this.graph = graph;
    this.epochOf = epochOf;
    this.nodes = nodes;
    this.given = given;
  }

  /**
   * Orders the rows of a graph.
   *
   * @throws ComputationException if rows depend on themselves
   */
  public static Steps of(ComputationGraph graph) {
    var steps = new Steps(graph, new int[graph.nodeCount()], new HashMap<>(), new HashMap<>());
    steps.supplied();
    steps.phases();
    steps.place();
    return steps;
  }

  /** Returns a copy with other steps over the same rows. */
  Steps with(List<Step> others) {
    var same = new Steps(graph, epochOf, nodes, given);
    same.steps.addAll(others);
    return same;
  }

  /** Returns all steps, in order. */
  public List<Step> all() {
    return steps;
  }

  /** Returns the dimension of a part of a node's descriptor. */
  int dim(Descriptor part) {
    return dims.computeIfAbsent(part, graph.nnet()::dim);
  }

  /** Returns the rows of an input, component or output node; null if none is needed. */
  public NodeRows rows(int node) {
    return nodes.get(node);
  }

  /** Returns true if the user supplies rows of a node. */
  boolean isSupplied(int node) {
    return given.containsKey(node);
  }

  /** Returns the number of a node's epoch (strongly connected component). */
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
    for (int[] epoch : epochs) {
      if (epoch.length == 1
          && !graph.nnet().sources(graph.nnet().node(epoch[0])).contains(epoch[0])) {
        phase(epoch[0], graph.toCompute(epoch[0]).sorted());
      } else {
        layers(epoch);
      }
    }
  }

  /**
   * Splits an epoch into phases: each row comes in the first phase after the phases of all rows of
   * the epoch that it reads.
   */
  private void layers(int[] epoch) {
    var members = new EpochRows(graph, epoch);
    int[][] readers = new int[members.size()][];
    int[] left = members.reads(readers);
    var open = new IntList();
    for (int row = 0; row < left.length; row++) {
      if (left[row] == 0) {
        open.add(row);
      }
    }
    int done = 0;
    while (!open.isEmpty()) {
      var next = new IntList();
      for (int k = 0; k < open.size(); k++) {
        for (int reader : readers[open.get(k)]) {
          if (--left[reader] == 0) {
            next.add(reader);
          }
        }
      }
      members.byNode(open).forEach(this::phase);
      done += open.size();
      open = next;
    }
    if (done < left.length) {
      throw new ComputationException(
          """
          [compile] no row may depend on itself; got a cycle through %s; use Offset so that a \
          recurrence goes one way in time.\
          """
              .formatted(members.names(left, MOST_NAMES)));
    }
  }

  private void phase(int node, List<Index> rows) {
    Node n = graph.nnet().node(node);
    if (!rows.isEmpty() && !(n instanceof Node.DimRangeNode)) {
      computed.computeIfAbsent(node, _ -> new ArrayList<>()).add(ordered(n, rows));
      order.add(node);
    }
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

  // Positions

  private void place() {
    given.forEach((node, rows) -> nodes.put(node, rowsOf(node)));
    computed.keySet().forEach(node -> nodes.computeIfAbsent(node, this::rowsOf));
    for (ComputationRequest.Io io : graph.request().inputs()) {
      int node = graph.nnet().number(io.name());
      List<Index> rows = given.get(node);
      steps.add(step(node, rows, rows, true));
    }
    var next = new HashMap<Integer, Integer>();
    for (int node : order) {
      int k = next.merge(node, 1, Integer::sum) - 1;
      List<Index> rows = computed.get(node).get(k);
      steps.add(step(node, rows, inputs(node, rows), false));
    }
  }

  private Step step(int node, List<Index> rows, List<Index> inputs, boolean supplied) {
    NodeRows all = nodes.get(node);
    int at = all.find(rows.get(0));
    return new Step(node, rows, inputs, at, supplied, Step.Window.all(all.size()));
  }

  /**
   * Returns the rows of a node, sorted if that keeps the rows of each step consecutive, else in the
   * order of the steps.
   */
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
    if (computed.get(node).size() == 1) {
      return graph.needed().get(node + graph.nodeCount()).sorted();
    }
    var all = new TreeSet<Index>();
    for (Index index : rows) {
      graph.used(new Cindex(node, index), c -> all.add(c.index()));
    }
    return List.copyOf(all);
  }
}
