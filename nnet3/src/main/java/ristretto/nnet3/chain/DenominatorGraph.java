package ristretto.nnet3.chain;

import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.ReadFst;

/**
 * Hidden Markov model of all phone strings: transitions with their probabilities and pdfs, and the
 * initial probabilities of states, which are also those of the leaky HMM's jumps. Final costs are
 * not used.
 *
 * <p>Source: Kaldi, {@code chain/chain-den-graph.cc}.
 */
public final class DenominatorGraph {
  private static final int ITERATIONS = 100;

  private final Fst fst;
  private final float[] initial;
  private final int pdfs;

  private DenominatorGraph(Fst fst, float[] initial) {
    this.fst = fst;
    this.initial = initial;
    this.pdfs = fst.largestInput();
  }

  /** Reads the graph of a file, such as {@code den.fst}. */
  public static DenominatorGraph load(String rxfilename) {
    return of(ReadFst.load(rxfilename), rxfilename);
  }

  /**
   * Creates the graph of an acceptor without epsilons whose labels are pdfs plus 1.
   *
   * @param name name of the acceptor in messages
   * @throws FileFormatException if it is no such acceptor
   */
  public static DenominatorGraph of(Fst fst, String name) {
    if (fst.start() < 0 || fst.arcs() == 0 || !fst.isAcceptor() || fst.hasInputEpsilons()) {
      throw new FileFormatException(
          ("[chain] a denominator graph must be an acceptor with a start state, arcs, and labels"
                  + " above 0; got %s in %s; make it with chain-make-den-fst.")
              .formatted(
                  fst.start() < 0
                      ? "no start state"
                      : fst.arcs() == 0
                          ? "no arcs"
                          : fst.isAcceptor() ? "an arc with label 0" : "a transducer",
                  name));
    }
    return new DenominatorGraph(fst, initial(fst, name));
  }

  private static float[] initial(Fst fst, String name) {
    int states = fst.states();
    var scale = new double[states];
    for (int s = 0; s < states; s++) {
      double total = Math.exp(-fst.finalCost(s));
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        total += Math.exp(-fst.cost(k));
      }
      if (!(total > 0 && total < 100)) {
        throw new FileFormatException(
            String.format(
                Locale.ROOT,
                "[chain] the probabilities of a state's arcs must have a sum between 0 and 100; got"
                    + " %s for state %d of %s; make it with chain-make-den-fst.",
                total,
                s,
                name));
      }
      scale[s] = 1 / total;
    }
    var average = new double[states];
    var now = new double[states];
    now[fst.start()] = 1;
    for (int n = 0; n < ITERATIONS; n++) {
      var next = new double[states];
      double sum = 0;
      for (int s = 0; s < states; s++) {
        average[s] += now[s] / ITERATIONS;
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          double p = now[s] * scale[s] * Math.exp(-fst.cost(k));
          next[fst.target(k)] += p;
          sum += p;
        }
      }
      for (int s = 0; s < states; s++) {
        next[s] *= 1 / sum;
      }
      now = next;
    }
    var rounded = new float[states];
    for (int s = 0; s < states; s++) {
      rounded[s] = (float) average[s];
    }
    return rounded;
  }

  /** Number of states. */
  public int states() {
    return fst.states();
  }

  /** Number of transitions. */
  public int transitions() {
    return fst.arcs();
  }

  /** Number of pdfs up to the largest of a transition. */
  public int pdfs() {
    return pdfs;
  }

  /** Probabilities of the states at the first frame, a copy. */
  public float[] initialProbabilities() {
    return initial.clone();
  }

  int[] sources() {
    var of = new int[fst.arcs()];
    for (int s = 0; s < fst.states(); s++) {
      Arrays.fill(of, fst.firstArc(s), fst.firstArc(s + 1), s);
    }
    return of;
  }

  int[] targets() {
    var of = new int[fst.arcs()];
    Arrays.setAll(of, fst::target);
    return of;
  }

  int[] pdfsOfTransitions() {
    var of = new int[fst.arcs()];
    Arrays.setAll(of, k -> fst.input(k) - 1);
    return of;
  }

  float[] probabilities() {
    var of = new float[fst.arcs()];
    for (int k = 0; k < of.length; k++) {
      of[k] = (float) Math.exp(-fst.cost(k));
    }
    return of;
  }
}
