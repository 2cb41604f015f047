package ristretto.nnet3.chain;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.RemoveEpsilons;
import ristretto.nnet3.hmm.Transitions;

/** Makes end-to-end supervisions from training graphs, whose inputs are transitions. */
public final class EndToEndSupervision {
  private EndToEndSupervision() {}

  /**
   * Returns the supervision of an utterance; empty if an arc of the graph has an output but no
   * transition.
   *
   * @param graph training graph with self-loops
   * @param frames number of output frames
   */
  public static Optional<ChainSupervision> of(Fst graph, Transitions transitions, int frames) {
    Fst fst = RemoveEpsilons.apply(graph);
    if (fst.hasInputEpsilons()) {
      return Optional.empty();
    }
    return Optional.of(
        new ChainSupervision(
            1,
            1,
            frames,
            transitions.model().distributions(),
            true,
            List.of(DenominatorFst.pdfs(transitions, fst)),
            new int[0]));
  }

  /** Fewest frames of a path of a supervision; -1 if it has no path. */
  public static int fewestFrames(ChainSupervision supervision) {
    Fst fst = supervision.fsts().getFirst();
    var frames = new int[fst.states()];
    Arrays.fill(frames, -1);
    var queue = new ArrayDeque<Integer>();
    if (fst.start() >= 0) {
      frames[fst.start()] = 0;
      queue.add(fst.start());
    }
    while (!queue.isEmpty()) {
      int s = queue.remove();
      if (fst.isFinal(s)) {
        return frames[s];
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        if (frames[fst.target(k)] < 0) {
          frames[fst.target(k)] = frames[s] + 1;
          queue.add(fst.target(k));
        }
      }
    }
    return -1;
  }
}
