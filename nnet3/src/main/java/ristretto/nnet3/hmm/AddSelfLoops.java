package ristretto.nnet3.hmm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;

/**
 * Adds self-loops to an FST of transitions: to each state, those of the states of the model whose
 * transitions enter it. A state that transitions of several states enter is divided.
 */
public final class AddSelfLoops {
  private final Fst fst;
  private final Transitions transitions;
  private final double scale;
  private final boolean words;
  private final FstBuilder builder = new FstBuilder();
  private final Map<Entered, Integer> numbers = new HashMap<>();
  private final List<Entered> states = new ArrayList<>();

  private AddSelfLoops(Fst fst, Transitions transitions, double scale, boolean words) {
    this.fst = fst;
    this.transitions = transitions;
    this.scale = scale;
    this.words = words;
  }

  /** State that was entered by a transition of a state of the model. */
  private record Entered(int state, int first) {}

  /**
   * Returns the FST with self-loops; its states are numbered in breadth-first order.
   *
   * @param scale factor of the log-probabilities of staying in a state and of leaving it
   * @param words true if outputs are words, which stay; false if they are the transitions
   */
  public static Fst apply(Fst fst, Transitions transitions, double scale, boolean words) {
    return new AddSelfLoops(fst, transitions, scale, words).run();
  }

  private int number(int state, int first) {
    return numbers.computeIfAbsent(
        new Entered(state, first),
        added -> {
          states.add(added);
          return states.size() - 1;
        });
  }

  private Fst run() {
    if (fst.start() < 0) {
      return fst;
    }
    builder.start(number(fst.start(), 0));
    for (int n = 0; n < states.size(); n++) {
      Entered state = states.get(n);
      int loop = state.first == 0 ? 0 : transitions.selfLoop(state.first);
      float leaving =
          loop == 0 ? 0 : -(float) (scale * transitions.logProbabilityOfLeaving(state.first));
      for (int k = fst.firstArc(state.state); k < fst.firstArc(state.state + 1); k++) {
        int label = fst.input(k);
        int first = label == 0 ? 0 : transitions.firstOfState(label);
        int to = number(fst.target(k), first);
        builder.arc(n, label, words ? fst.output(k) : label, fst.cost(k) + leaving, to);
      }
      if (fst.isFinal(state.state)) {
        builder.finalCost(n, fst.finalCost(state.state) + leaving);
      }
      if (loop != 0) {
        float staying = -(float) (scale * transitions.logProbability(loop));
        builder.arc(n, loop, words ? 0 : loop, staying, n);
      }
    }
    return builder.build();
  }
}
