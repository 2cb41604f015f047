package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.fst.Fst;
import ristretto.symbolic.automaton.Automaton;

/**
 * Automata for {@code lfmmi} of the symbolic layer, from the files of chain models; their classes
 * are pdfs.
 */
public final class ChainAutomata {
  private ChainAutomata() {}

  /** Returns the automaton of a denominator graph, for all sequences. */
  public static Automaton of(DenominatorGraph graph) {
    float[] initial = graph.initialProbabilities();
    var starts = new double[initial.length];
    Arrays.setAll(starts, s -> Math.log(initial[s]));
    float[] probabilities = graph.probabilities();
    var weights = new double[probabilities.length];
    Arrays.setAll(weights, k -> Math.log(probabilities[k]));
    return new Automaton(
        graph.sources(),
        graph.targets(),
        graph.pdfsOfTransitions(),
        weights,
        starts,
        new double[starts.length]);
  }

  /**
   * Returns the automaton of each sequence of a supervision.
   *
   * @throws ShapeException if several sequences share one acceptor, as in minibatches of Kaldi's
   *     usual supervisions, or if labels are 0
   */
  public static List<Automaton> of(ChainSupervision supervision) {
    if (supervision.fsts().size() != supervision.sequences()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[chain] a supervision must have an acceptor for each sequence; got %d for %d"
                  + " sequences; take the supervisions of the examples before they are merged.",
              supervision.fsts().size(),
              supervision.sequences()));
    }
    var all = new ArrayList<Automaton>();
    for (Fst fst : supervision.fsts()) {
      if (fst.hasInputEpsilons()) {
        throw Numerator.notNormalized();
      }
      var sources = new int[fst.arcs()];
      var targets = new int[fst.arcs()];
      var pdfs = new int[fst.arcs()];
      var weights = new double[fst.arcs()];
      var starts = new double[fst.states()];
      var ends = new double[fst.states()];
      Arrays.fill(starts, Double.NEGATIVE_INFINITY);
      starts[fst.start()] = 0;
      for (int s = 0; s < fst.states(); s++) {
        ends[s] = -fst.finalCost(s);
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          sources[k] = s;
          targets[k] = fst.target(k);
          pdfs[k] = fst.input(k) - 1;
          weights[k] = -fst.cost(k);
        }
      }
      all.add(new Automaton(sources, targets, pdfs, weights, starts, ends));
    }
    return all;
  }
}
