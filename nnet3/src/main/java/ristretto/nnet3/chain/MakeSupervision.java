package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.fst.RemoveEpsilons;
import ristretto.nnet3.fst.Renumber;
import ristretto.nnet3.fst.Trim;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.PhonesToTransitions;
import ristretto.nnet3.hmm.Transitions;

/** Makes supervisions of utterances from the phones that may occur at each frame. */
public final class MakeSupervision {
  private final Transitions transitions;
  private final PhonesToTransitions expansion;
  private final boolean toPdfs;

  /**
   * Creates the maker.
   *
   * @param toPdfs true for labels that are pdfs plus 1; false for transitions
   */
  public MakeSupervision(ContextTree tree, Transitions transitions, boolean toPdfs) {
    this.transitions = transitions;
    this.toPdfs = toPdfs;
    expansion = new PhonesToTransitions(tree, transitions, 0, 0);
  }

  /** State of the transitions at an output frame. */
  private record AtTime(int state, int time) {}

  /**
   * Returns the supervision of an utterance; empty if no path has its length, as with more phones
   * than output frames.
   */
  public Optional<ChainSupervision> of(AllowedPhones allowed) {
    Fst graph = expansion.apply(allowed.phones());
    if (graph.hasInputEpsilons()) {
      graph = RemoveEpsilons.apply(graph);
    }
    Fst fst = Renumber.breadthFirst(Trim.apply(overTime(graph, allowed)));
    if (fst.states() == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new ChainSupervision(
            1,
            1,
            allowed.frames().size(),
            toPdfs ? transitions.model().distributions() : transitions.count(),
            false,
            List.of(fst),
            new int[0]));
  }

  private Fst overTime(Fst graph, AllowedPhones allowed) {
    var builder = new FstBuilder();
    if (graph.start() < 0) {
      return builder.build();
    }
    Map<AtTime, Integer> numbers = new HashMap<>();
    List<AtTime> states = new ArrayList<>();
    builder.start(number(new AtTime(graph.start(), 0), numbers, states));
    for (int n = 0; n < states.size(); n++) {
      AtTime state = states.get(n);
      if (state.time == allowed.frames().size()) {
        if (graph.isFinal(state.state)) {
          builder.finalCost(n, graph.finalCost(state.state));
        }
        continue;
      }
      for (int k = graph.firstArc(state.state); k < graph.firstArc(state.state + 1); k++) {
        int transition = graph.input(k);
        if (!allowed.frames().get(state.time).contains(transitions.phone(transition))) {
          continue;
        }
        int label = toPdfs ? transitions.distribution(transition) + 1 : transition;
        int to = number(new AtTime(graph.target(k), state.time + 1), numbers, states);
        builder.arc(n, label, label, graph.cost(k), to);
      }
    }
    return builder.build();
  }

  private static int number(AtTime state, Map<AtTime, Integer> numbers, List<AtTime> states) {
    return numbers.computeIfAbsent(
        state,
        added -> {
          states.add(added);
          return states.size() - 1;
        });
  }
}
