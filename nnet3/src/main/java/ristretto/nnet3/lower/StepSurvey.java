package ristretto.nnet3.lower;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;

/** Survey of the steps before they are lowered: readers of values, and steps that form loops. */
final class StepSurvey {
  private final ComputationGraph graph;
  private final Steps steps;
  private final Aliases aliases;
  private final GatherPlans gatherPlans;
  private final boolean derivatives;
  private final Set<Value> readOnce = new HashSet<>();
  private final List<Loops.Shape> shapes = new ArrayList<>();

  /** Rows of a node that are in memory together. */
  private record Value(int node, Step.Window window) {}

  /**
   * @param derivatives true if backward or statistics follow, which read values again
   */
  StepSurvey(
      ComputationGraph graph,
      Steps steps,
      Aliases aliases,
      GatherPlans gatherPlans,
      boolean derivatives) {
    this.graph = graph;
    this.steps = steps;
    this.aliases = aliases;
    this.gatherPlans = gatherPlans;
    this.derivatives = derivatives;
  }

  /** Finds values with one reader that reads each element once, and the shapes of the steps. */
  void run() {
    var uses = new IdentityHashMap<Value, Integer>();
    var now = new HashMap<Integer, Value>();
    for (Step step : steps.all()) {
      Node node = graph.nnet().node(step.node());
      Value before = now.get(step.node());
      if (before == null || !before.window().equals(step.window())) {
        now.put(step.node(), new Value(step.node(), step.window()));
      }
      boolean isDone = step.supplied() || aliases.isAlias(step.node());
      List<GatherPlan.Part> parts =
          isDone ? List.of() : gatherPlans.parts(node.descriptor(), step.inputs());
      StepFingerprint shape = shape(step, parts);
      shapes.add(shape == null ? null : shape.numbers());
      if (isDone) {
        continue;
      }
      boolean once =
          !(node instanceof Node.ComponentNode n)
              || (((ComponentBase) graph.nnet().component(n)).readsOnce()
                  && !(derivatives && readsAgain(n)));
      for (GatherPlan.Part part : parts) {
        for (GatherPlan.Term term : part.terms()) {
          uses.merge(now.get(term.node()), once ? 1 : 2, Integer::sum);
        }
      }
    }
    uses.forEach((value, count) -> {
      if (count == 1) {
        readOnce.add(value);
      }
    });
  }

  /** Returns true if the parameter gradient is a product with the component's input. */
  private boolean readsAgain(Node.ComponentNode node) {
    Component component = graph.nnet().component(node);
    return component.has(Property.UPDATABLE) && component.has(Property.BACKPROP_NEEDS_INPUT);
  }

  /** Returns the shape of a step for {@link Loops}; null if the step cannot be part of a loop. */
  private StepFingerprint shape(Step step, List<GatherPlan.Part> parts) {
    return step.isSplit()
            && !step.supplied()
            && !step.window().stays()
            && graph.nnet().node(step.node()) instanceof Node.ComponentNode n
            && !(derivatives && keeps((ComponentBase) graph.nnet().component(n)))
        ? StepFingerprint.of(step, parts, graph.nnet().component(n) instanceof Projection)
        : null;
  }

  /** Returns true if forward keeps more than its value for backward. */
  private static boolean keeps(ComponentBase component) {
    return component.has(Property.USES_MEMO) || component.isRandomNow();
  }

  /** Returns the shapes of the steps, in order; null for steps that are in no loop. */
  List<Loops.Shape> shapes() {
    return shapes;
  }

  /** Returns true if one reader reads each element of a value once. */
  boolean isReadOnce(int node, Step.Window window) {
    return readOnce.contains(new Value(node, window));
  }
}
