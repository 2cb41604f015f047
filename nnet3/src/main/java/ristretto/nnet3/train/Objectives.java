package ristretto.nnet3.train;

import java.util.HashMap;
import java.util.Map;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;

/** What is made large of each output. */
final class Objectives {
  private final Map<String, Objective> byOutput = new HashMap<>();

  /** Those that the network names. */
  Objectives(Nnet nnet) {
    for (Node node : nnet.nodes()) {
      if (node instanceof Node.OutputNode output) {
        boolean linear = output.objective() == Node.Objective.LINEAR;
        byOutput.put(output.name(), linear ? Objective.LINEAR : Objective.QUADRATIC);
      }
    }
  }

  Objective of(String output) {
    return byOutput.get(output);
  }

  boolean isLinear(String output) {
    return byOutput.get(output) == Objective.LINEAR;
  }

  /** Takes another one for an output. */
  void put(String output, Objective objective) {
    byOutput.put(output, objective);
  }
}
