package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.lower.Aliases;
import ristretto.nnet3.lower.GatherPlan;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.lower.Step;
import ristretto.report.picture.Diagram;

/** Graph of the steps of a computation and the reads between them, for drawing. */
final class StepGraph {
  /** Maximum number of steps drawn per node; the middle ones are left out. */
  private static final int MOST_STEPS = 6;

  private final RequestStructure structure;
  private final RepresentativeSequence sequences;
  private final Diagram graph = new Diagram();

  /** Steps of each node, in order. */
  private final Map<Integer, List<Step>> steps = new HashMap<>();

  private final Map<Step, Integer> boxes = new IdentityHashMap<>();

  private StepGraph(RequestStructure structure, RepresentativeSequence sequences) {
    this.structure = structure;
    this.sequences = sequences;
  }

  static Diagram of(RequestStructure structure, RepresentativeSequence sequences) {
    var steps = new StepGraph(structure, sequences);
    for (Step step : structure.steps().all()) {
      steps.steps.computeIfAbsent(step.node(), _ -> new ArrayList<>()).add(step);
    }
    for (Step step : structure.steps().all()) {
      steps.box(step);
    }
    for (Step step : structure.steps().all()) {
      steps.arrows(step);
    }
    return steps.graph;
  }

  private void box(Step step) {
    Node node = structure.graph().nnet().node(step.node());
    List<Step> all = steps.get(step.node());
    int at = 0;
    while (all.get(at) != step) {
      at++;
    }
    if (all.size() > MOST_STEPS && at >= MOST_STEPS / 2 && at < all.size() - MOST_STEPS / 2) {
      return;
    }
    boolean split = step.isSplit();
    Diagram.Kind kind =
        step.supplied()
            ? Diagram.Kind.INPUT
            : node instanceof Node.OutputNode
                ? Diagram.Kind.OUTPUT
                : split ? Diagram.Kind.RECURRENT : Diagram.Kind.VALUE;
    String left =
        all.size() > MOST_STEPS && at == MOST_STEPS / 2 - 1
            ? "then " + (all.size() - MOST_STEPS) + " steps more"
            : "";
    String dims =
        String.format(
            Locale.ROOT,
            "T=%d, N=%d, D=%d",
            step.rows().size(),
            sequences.count(),
            structure.graph().nnet().dim(node));
    String times = "t=" + ReadTrace.times(step.rows());
    boxes.put(
        step,
        left.isEmpty()
            ? graph.box(kind, node.name(), dims, times)
            : graph.box(kind, node.name(), dims, times, left));
  }

  private void arrows(Step step) {
    Node node = structure.graph().nnet().node(step.node());
    Integer to = boxes.get(step);
    if (step.supplied() || to == null || node.descriptor() == null) {
      return;
    }
    GatherPlan gathered =
        GatherPlan.of(
            structure.graph(),
            structure.steps(),
            Aliases.none(structure.graph()),
            node.descriptor(),
            step.inputs());
    for (GatherPlan.Part part : gathered.parts()) {
      for (GatherPlan.Term term : part.terms()) {
        for (Step source : steps.get(term.node())) {
          Integer from = boxes.get(source);
          if (from != null && reads(term, source)) {
            graph.arrow(from, to, "");
          }
        }
      }
    }
  }

  private static boolean reads(GatherPlan.Term term, Step source) {
    for (int place : term.places()) {
      if (place >= source.at() && place < source.at() + source.rows().size()) {
        return true;
      }
    }
    return false;
  }
}
