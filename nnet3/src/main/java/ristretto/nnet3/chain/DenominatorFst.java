package ristretto.nnet3.chain;

import java.util.BitSet;
import java.util.Locale;
import java.util.function.Consumer;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.fst.EqualizeTotals;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.fst.Minimize;
import ristretto.nnet3.fst.Relabel;
import ristretto.nnet3.fst.RemoveEpsilons;
import ristretto.nnet3.fst.Renumber;
import ristretto.nnet3.fst.Reverse;
import ristretto.nnet3.fst.SortArcs;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.PhonesToTransitions;
import ristretto.nnet3.hmm.Transitions;

/**
 * Makes the denominator FST of a language model of phones, whose labels are pdfs plus 1, and the
 * FST that gives supervisions its costs.
 *
 * <p>Source: Kaldi, {@code chain/chain-den-graph.cc}.
 */
public final class DenominatorFst {
  private static final float QUANTUM = 10 / 1024f;
  private static final double DELTA = 0.01 / 1024;
  private static final int TIMES = 3;

  private DenominatorFst() {}

  /**
   * Returns the denominator FST of a language model of phones.
   *
   * @param log receives lines about sizes
   * @throws FileFormatException if phones are unknown, or if no string is left
   */
  public static Fst make(
      ContextTree tree, Transitions transitions, Fst phones, Consumer<String> log) {
    size(log, "phone-LM FST", phones);
    Fst graph = pdfs(transitions, new PhonesToTransitions(tree, transitions, 1, 1).apply(phones));
    size(log, "transition-id FST", graph);
    graph = RemoveEpsilons.apply(graph);
    size(log, "transition-id FST without epsilons", graph);
    if (graph.start() < 0) {
      throw new FileFormatException(
          "[chain] a language model of phones must have a string; got none; make it with"
              + " chain-est-phone-lm.");
    }
    for (int n = 0; n < TIMES; n++) {
      for (int both = 0; both < 2; both++) {
        Fst pushed = EqualizeTotals.apply(Reverse.apply(graph), DELTA);
        graph = Minimize.withoutPush(pushed, QUANTUM);
      }
      size(log, "FST after minimization", graph);
    }
    graph = EqualizeTotals.apply(RemoveEpsilons.apply(graph), DELTA);
    graph = Renumber.byArcs(graph);
    size(log, "denominator FST", graph);
    return graph;
  }

  private static void size(Consumer<String> log, String name, Fst fst) {
    log.accept(
        String.format(
            Locale.ROOT, "The %s has %d states and %d arcs.", name, fst.states(), fst.arcs()));
  }

  /** Copy with the pdf plus 1 of each transition as its label. */
  static Fst pdfs(Transitions transitions, Fst fst) {
    return Relabel.acceptor(fst, label -> label == 0 ? 0 : transitions.distribution(label) + 1);
  }

  /** Pdfs that no arc has, of those below {@code pdfs}. */
  public static int[] unseen(Fst denominator, int pdfs) {
    var seen = new BitSet();
    for (int k = 0; k < denominator.arcs(); k++) {
      seen.set(denominator.input(k) - 1);
    }
    seen.flip(0, pdfs);
    return seen.stream().toArray();
  }

  /**
   * Returns the normalization FST of a denominator FST: strings may begin in each state, at the
   * cost of its initial probability, and may end in each state.
   */
  public static Fst normalization(Fst denominator) {
    float[] initial =
        DenominatorGraph.of(denominator, "the denominator FST").initialProbabilities();
    var builder = new FstBuilder();
    for (int s = 0; s < denominator.states(); s++) {
      builder.finalCost(s, 0);
      for (int k = denominator.firstArc(s); k < denominator.firstArc(s + 1); k++) {
        builder.arc(
            s,
            denominator.input(k),
            denominator.output(k),
            denominator.cost(k),
            denominator.target(k));
      }
    }
    int start = denominator.states();
    for (int s = 0; s < start; s++) {
      if (!(initial[s] > 0)) {
        throw new FileFormatException(
            String.format(
                Locale.ROOT,
                "[chain] each state of a denominator FST must have an initial probability above"
                    + " 0; got %s for state %d; make it with chain-make-den-fst.",
                initial[s],
                s));
      }
      builder.arc(start, 0, 0, (float) -Math.log(initial[s]), s);
    }
    builder.start(start);
    return SortArcs.byInput(RemoveEpsilons.apply(builder.build()));
  }
}
