package ristretto.nnet3.search;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.Set;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.fst.Compose;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.Minimize;
import ristretto.nnet3.fst.Relabel;
import ristretto.nnet3.fst.RemoveEpsilons;
import ristretto.nnet3.fst.Renumber;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.PhonesToTransitions;
import ristretto.nnet3.hmm.Transitions;

/**
 * Makes decoding graphs, whose inputs are transitions and whose outputs are words: Kaldi's HCLG.
 * The graph is not deterministic, which suits small vocabularies: words that begin with the same
 * phones are searched side by side.
 */
public final class DecodingGraph {
  private static final float QUANTUM = 1e-5f;

  private final Transitions transitions;
  private final PhonesToTransitions expansion;

  /**
   * Creates a maker of graphs.
   *
   * @param transitionScale factor of the log-probabilities of leaving a state in a certain way
   * @param selfLoopScale factor of the log-probabilities of staying in a state and of leaving it; 1
   *     for chain models
   */
  public DecodingGraph(
      ContextTree tree, Transitions transitions, double transitionScale, double selfLoopScale) {
    this.transitions = transitions;
    expansion = new PhonesToTransitions(tree, transitions, transitionScale, selfLoopScale);
  }

  /**
   * Returns the graph of a lexicon and a grammar.
   *
   * @param lexicon transducer from phones to words
   * @param grammar acceptor of words
   * @param none labels of the lexicon that are not phones and are removed, such as those that tell
   *     homophones apart
   * @throws FileFormatException if the lexicon has labels that are neither phones nor removed, or
   *     if no string of words has both a pronunciation and a place in the grammar
   */
  public Fst make(Fst lexicon, Fst grammar, Set<Integer> none) {
    var phones = new BitSet();
    Arrays.stream(transitions.model().phones()).forEach(phones::set);
    Fst heard = Relabel.inputs(lexicon, label -> phone(label, phones, none));
    Fst words = smaller(Compose.apply(heard, grammar));
    if (words.start() < 0) {
      throw new FileFormatException(
          "[graph] the lexicon and the grammar must have a string of words in common; got none;"
              + " make both with the same words.txt.");
    }
    return Renumber.breadthFirst(smaller(expansion.toWords(words)));
  }

  /** Phone of a label of the lexicon; 0 for labels that are removed. */
  private static int phone(int label, BitSet phones, Set<Integer> none) {
    if (label != 0 && phones.get(label) == none.contains(label)) {
      throw new FileFormatException(
          String.format(
              Locale.ROOT,
              "[graph] labels of the lexicon must be phones of the model or disambiguation"
                  + " symbols; got %d, which is %s; give --read-disambig-syms and the model's own"
                  + " lexicon.",
              label,
              none.contains(label) ? "both" : "neither"));
    }
    return none.contains(label) ? 0 : label;
  }

  private static Fst smaller(Fst fst) {
    return Minimize.withoutPush(RemoveEpsilons.apply(fst), QUANTUM);
  }
}
