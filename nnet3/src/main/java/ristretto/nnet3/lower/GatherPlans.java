package ristretto.nnet3.lower;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.graph.ComputationGraph;

/**
 * Gather plans of the steps of one request. A plan is made once for each descriptor and list of
 * rows, which are known by identity: the survey, the forward pass and the recomputation of a step
 * ask for the same one.
 */
final class GatherPlans {
  private final ComputationGraph graph;
  private final Steps steps;
  private final Aliases aliases;
  private final Map<List<Index>, Map<Descriptor, GatherPlan>> known = new IdentityHashMap<>();

  GatherPlans(ComputationGraph graph, Steps steps, Aliases aliases) {
    this.graph = graph;
    this.steps = steps;
    this.aliases = aliases;
  }

  /** Parts of the result of a descriptor for some rows, from left to right. */
  List<GatherPlan.Part> parts(Descriptor descriptor, List<Index> rows) {
    return known
        .computeIfAbsent(rows, _ -> new IdentityHashMap<>(2))
        .computeIfAbsent(descriptor, d -> GatherPlan.of(graph, steps, aliases, d, rows))
        .parts();
  }
}
