package ristretto.nnet3.hmm;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.FileFormatException;

/**
 * Transitions of all states of a transition model, numbered from 1 in the order of states and of
 * their topology; Kaldi's transition-ids.
 */
public final class Transitions {
  private final TransitionModel model;
  private final int[] firsts;
  private final int[] tuples;
  private final Map<TransitionModel.Tuple, Integer> numbers = new HashMap<>();

  /** Numbers the transitions of a model. */
  public Transitions(TransitionModel model) {
    this.model = model;
    List<TransitionModel.Tuple> all = model.tuples();
    firsts = new int[all.size() + 1];
    firsts[0] = 1;
    for (int n = 0; n < all.size(); n++) {
      numbers.put(all.get(n), n);
      firsts[n + 1] = firsts[n] + state(n).transitions().size();
    }
    tuples = new int[firsts[all.size()]];
    for (int n = 0; n < all.size(); n++) {
      Arrays.fill(tuples, firsts[n], firsts[n + 1], n);
    }
  }

  private Topology.State state(int tuple) {
    TransitionModel.Tuple of = model.tuples().get(tuple);
    return model.topology().of(of.phone()).get(of.state());
  }

  /** Model of these transitions. */
  public TransitionModel model() {
    return model;
  }

  /** Number of transitions. */
  public int count() {
    return tuples.length - 1;
  }

  /** Phone of a transition. */
  public int phone(int transition) {
    return model.tuples().get(tuples[transition]).phone();
  }

  /** Returns true if a transition stays in its state. */
  public boolean isSelfLoop(int transition) {
    int tuple = tuples[transition];
    return state(tuple).transitions().get(transition - firsts[tuple]).to()
        == model.tuples().get(tuple).state();
  }

  /** Distribution of a transition. */
  public int distribution(int transition) {
    TransitionModel.Tuple of = model.tuples().get(tuples[transition]);
    return isSelfLoop(transition) ? of.selfLoop() : of.forward();
  }

  /** Number of the first transition of the state of a transition. */
  int firstOfState(int transition) {
    return firsts[tuples[transition]];
  }

  /** Transition of the same state that stays in it; 0 if there is none. */
  int selfLoop(int transition) {
    int tuple = tuples[transition];
    for (int k = firsts[tuple]; k < firsts[tuple + 1]; k++) {
      if (isSelfLoop(k)) {
        return k;
      }
    }
    return 0;
  }

  /** Log-probability of a transition. */
  double logProbability(int transition) {
    return model.logProbability(transition);
  }

  /** Log-probability of leaving the state of a transition. */
  double logProbabilityOfLeaving(int transition) {
    int loop = selfLoop(transition);
    return loop == 0 ? 0 : Math.log(1 - Math.exp(logProbability(loop)));
  }

  /**
   * Number of the first transition of a state of a phone in its context.
   *
   * @param window phones of the context, of which 0 stands for none
   * @throws FileFormatException if the model has no such state
   */
  int first(ContextTree tree, int[] window, int state) {
    int phone = window[tree.center()];
    Topology.State of = model.topology().of(phone).get(state);
    int forward = tree.distribution(window, of.forward());
    int selfLoop =
        of.selfLoop() == Topology.NONE
            ? Topology.NONE
            : model.topology().isHmm() ? forward : tree.distribution(window, of.selfLoop());
    Integer tuple = numbers.get(new TransitionModel.Tuple(phone, state, forward, selfLoop));
    if (tuple == null) {
      throw new FileFormatException(
          "[chain] the transition model must have the states of the tree; got none for state %s of phone %s with the distributions %s and %s; use the model that was made with the tree."
              .formatted(state, phone, forward, selfLoop));
    }
    return firsts[tuple];
  }
}
