package ristretto.nnet3.lower;

import static java.util.stream.Collectors.groupingBy;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;

/**
 * Readers of the nodes in the backward pass, and the rows to which limited times restrict their
 * derivatives.
 */
final class NodeReaders {
  private final ComputationGraph graph;
  private final Steps steps;
  private final Aliases aliases;
  private final DerivativeTimes times;
  private final NodeDerivatives derivatives;

  /** Reader of a node, over the rows of all of its steps. */
  private final Map<Integer, NodeReader> readers = new HashMap<>();

  /**
   * Row ranges of nodes whose derivatives are limited to some times; other nodes have derivatives
   * of all rows.
   */
  private final Map<Integer, DerivativeTimes.Run> runs = new HashMap<>();

  /**
   * Readers of recurrent nodes with limited times, for their inputs from outside the recurrence.
   */
  private final Map<Integer, NodeReader> outsiders = new HashMap<>();

  /** Readers of single steps of a recurrent node whose steps read common rows. */
  private final Map<Step, NodeReader> overlapping = new IdentityHashMap<>();

  private final Map<Integer, Integer> stepsLeft = new HashMap<>();

  /**
   * @param derivatives receives each reader
   */
  NodeReaders(
      ComputationGraph graph,
      Steps steps,
      Aliases aliases,
      DerivativeTimes times,
      NodeDerivatives derivatives) {
    this.graph = graph;
    this.steps = steps;
    this.aliases = aliases;
    this.times = times;
    this.derivatives = derivatives;
  }

  /** Collects the readers of all nodes that need derivatives. */
  void collect(NeededDerivatives needed) {
    Map<Integer, List<Step>> stepsOf = steps.all().stream().collect(groupingBy(Step::node));
    for (Step step : steps.all()) {
      if (step.supplied() || aliases.isAlias(step.node()) || !needed.contains(step.node())) {
        continue;
      }
      stepsLeft.merge(step.node(), 1, Integer::sum);
      if (!readers.containsKey(step.node())) {
        boolean split = step.isSplit();
        List<Index> rows = steps.rows(step.node()).rows();
        List<Index> inputs = split ? inputs(stepsOf.get(step.node())) : step.inputs();
        if (isLimited(step.node())) {
          DerivativeTimes.Run run = times.run(rows);
          runs.put(step.node(), run);
          List<Index> some = rows.subList(run.from(), run.to());
          if (split) {
            outsiders.put(step.node(), reader(step.node(), some));
          } else {
            inputs = some;
          }
        }
        readers.put(step.node(), reader(step.node(), inputs));
      }
      if (step.isSplit() && !step.isOneToOne()) {
        overlapping.put(step, reader(step.node(), step.inputs()));
      }
    }
  }

  /** Returns the input rows of all steps of a recurrent node. */
  private List<Index> inputs(List<Step> all) {
    if (all.stream().allMatch(Step::isOneToOne)) {
      return steps.rows(all.get(0).node()).rows();
    }
    return all.stream().flatMap(step -> step.inputs().stream()).distinct().sorted().toList();
  }

  /**
   * Returns true if backward can be limited to some rows of a node: times are limited and the
   * component treats rows independently.
   */
  private boolean isLimited(int number) {
    return !times.isAll()
        && graph.nnet().node(number) instanceof Node.ComponentNode n
        && graph.nnet().component(n).isSimple()
        && !graph.nnet().component(n).has(Property.USES_MEMO);
  }

  private NodeReader reader(int number, List<Index> inputs) {
    Descriptor descriptor = graph.nnet().node(number).descriptor();
    GatherPlan gathered = GatherPlan.of(graph, steps, aliases, descriptor, inputs);
    if (!times.isAll()) {
      gathered = gathered.where((k, term) -> times.has(inputs.get(k)) && has(term, k));
    }
    var reader = new NodeReader(number, inputs, gathered);
    derivatives.add(reader);
    return reader;
  }

  private boolean has(GatherPlan.Term term, int k) {
    return times.has(steps.rows(term.node()).rows().get(term.places()[k]));
  }

  /** Returns the reader of a node; null if the node needs no derivatives. */
  NodeReader of(int node) {
    return readers.get(node);
  }

  /** Returns the reader of a single step; null if it has none of its own. */
  NodeReader ofStep(Step step) {
    return overlapping.get(step);
  }

  /** Returns the reader of the inputs of a recurrent node from outside the recurrence. */
  NodeReader ofAllSteps(int node) {
    return outsiders.getOrDefault(node, readers.get(node));
  }

  /** Returns the rows of a node that have derivatives. */
  DerivativeTimes.Run rows(int node) {
    DerivativeTimes.Run run = runs.get(node);
    return run != null ? run : new DerivativeTimes.Run(0, steps.rows(node).size());
  }

  /** Returns the number of steps of a node that the backward pass has still to visit. */
  int stepsLeft(int node) {
    return stepsLeft.getOrDefault(node, 1);
  }

  /** Counts a visited step of a node, and returns the number of steps left. */
  int stepDone(int node) {
    return stepsLeft.merge(node, -1, Integer::sum);
  }
}
