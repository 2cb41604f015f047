package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.fst.RemoveEpsilons;

/**
 * Merges supervisions into one of all their sequences. The acceptors are concatenated as Kaldi does
 * it, so that files are equal: states are numbered in breadth-first order, and the arcs of each
 * state have the reversed order.
 */
final class MergeSupervisions {
  private MergeSupervisions() {}

  static ChainSupervision apply(List<ChainSupervision> all) {
    ChainSupervision first = all.getFirst();
    if (all.size() == 1) {
      return first;
    }
    int sequences = 0;
    var fsts = new ArrayList<Fst>();
    for (ChainSupervision each : all) {
      if (each.weight() != first.weight()
          || each.frames() != first.frames()
          || each.labels() != first.labels()
          || each.endToEnd() != first.endToEnd()) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[egs] supervisions to merge must have equal weights, frames, labels and kinds; got"
                    + " %s and %s; merge them apart.",
                words(first),
                words(each)));
      }
      sequences += each.sequences();
      for (Fst fst : each.fsts()) {
        fsts.add(fst.hasInputEpsilons() ? RemoveEpsilons.apply(fst) : fst);
      }
    }
    return new ChainSupervision(
        first.weight(),
        sequences,
        first.frames(),
        first.labels(),
        first.endToEnd(),
        first.endToEnd() ? fsts : List.of(concatenation(fsts)),
        new int[0]);
  }

  private static String words(ChainSupervision one) {
    return String.format(
        Locale.ROOT,
        "%s of weight %s with %d frames and %d labels",
        one.endToEnd() ? "an end-to-end one" : "one",
        one.weight(),
        one.frames(),
        one.labels());
  }

  /** State of one of the acceptors. */
  private record State(int fst, int state) {}

  private static Fst concatenation(List<Fst> fsts) {
    var builder = new FstBuilder();
    builder.start(0);
    var numbers = new HashMap<State, Integer>();
    var order = new ArrayList<State>();
    number(new State(0, fsts.getFirst().start()), numbers, order);
    for (int s = 0; s < order.size(); s++) {
      State state = order.get(s);
      Fst fst = fsts.get(state.fst);
      for (int k = fst.firstArc(state.state + 1) - 1; k >= fst.firstArc(state.state); k--) {
        int to = number(new State(state.fst, fst.target(k)), numbers, order);
        builder.arc(s, fst.input(k), fst.output(k), fst.cost(k), to);
      }
      if (!fst.isFinal(state.state)) {
        continue;
      }
      float cost = fst.finalCost(state.state);
      if (state.fst == fsts.size() - 1) {
        builder.finalCost(s, cost);
        continue;
      }
      Fst next = fsts.get(state.fst + 1);
      for (int k = next.firstArc(next.start() + 1) - 1; k >= next.firstArc(next.start()); k--) {
        int to = number(new State(state.fst + 1, next.target(k)), numbers, order);
        builder.arc(s, next.input(k), next.output(k), cost + next.cost(k), to);
      }
    }
    return builder.build();
  }

  private static int number(State state, Map<State, Integer> numbers, List<State> order) {
    return numbers.computeIfAbsent(
        state,
        added -> {
          order.add(added);
          return order.size() - 1;
        });
  }
}
