package ristretto.nnet3.train;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.text.Nearest;

/** Objectives by output. */
final class Objectives {
  private final Map<String, Objective> byOutput = new HashMap<>();

  /** Objectives named in the network's output nodes. */
  Objectives(Nnet nnet) {
    for (Node node : nnet.nodes()) {
      if (node instanceof Node.OutputNode output) {
        boolean linear = output.objective() == Node.ObjectiveType.LINEAR;
        byOutput.put(output.name(), linear ? Objective.LINEAR : Objective.QUADRATIC);
      }
    }
  }

  Objective of(String output) {
    return byOutput.get(output);
  }

  private static String hint(String output, Set<String> known) {
    String hint = Nearest.hint(output, known);
    return hint.isEmpty() ? "; name one of them." : hint;
  }

  boolean isLinear(String output) {
    return byOutput.get(output) == Objective.LINEAR;
  }

  /**
   * Replaces the objective of an output.
   *
   * @throws ComputationException if the network has no such output
   */
  void put(String output, Objective objective) {
    if (!byOutput.containsKey(output)) {
      Set<String> known = new TreeSet<>(byOutput.keySet());
      throw new ComputationException(
          "[objective] an objective must be for one of the network's outputs, %s; got \"%s\"%s"
              .formatted(String.join(", ", known), Excerpt.of(output), hint(output, known)));
    }
    byOutput.put(output, objective);
  }
}
