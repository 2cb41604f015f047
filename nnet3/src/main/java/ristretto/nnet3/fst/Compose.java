package ristretto.nnet3.fst;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Composes two transducers: where the first maps a string to another and the second maps that to a
 * third, the result maps the first to the third, and costs add up.
 */
public final class Compose {
  /** Epsilons of both transducers may still follow. */
  private static final int ANY = 0;

  /** The first transducer has moved alone. */
  private static final int FIRST = 1;

  /** The second transducer has moved alone. */
  private static final int SECOND = 2;

  private final Fst first;
  private final Fst second;
  private final FstBuilder builder = new FstBuilder();
  private final Map<State, Integer> numbers = new HashMap<>();
  private final List<State> states = new ArrayList<>();

  /**
   * Pair of states. The filter admits one order of the epsilons of both, so that no path is counted
   * twice.
   */
  private record State(int first, int second, int filter) {}

  private Compose(Fst first, Fst second) {
    this.first = first;
    this.second = SortArcs.byInput(second);
  }

  /** Returns the composition, trimmed. */
  public static Fst apply(Fst first, Fst second) {
    return new Compose(first, second).run();
  }

  private Fst run() {
    if (first.start() < 0 || second.start() < 0) {
      return new FstBuilder().build();
    }
    builder.start(number(first.start(), second.start(), ANY));
    for (int s = 0; s < states.size(); s++) {
      State state = states.get(s);
      if (first.isFinal(state.first) && second.isFinal(state.second)) {
        builder.finalCost(s, first.finalCost(state.first) + second.finalCost(state.second));
      }
      arcs(s, state);
    }
    return Trim.apply(builder.build());
  }

  private int number(int one, int other, int filter) {
    return numbers.computeIfAbsent(
        new State(one, other, filter),
        added -> {
          states.add(added);
          return states.size() - 1;
        });
  }

  /**
   * Epsilons that both could take one after the other are taken together; after the one has moved
   * alone, the other may not until a label matches.
   */
  private void arcs(int s, State from) {
    for (int k = first.firstArc(from.first); k < first.firstArc(from.first + 1); k++) {
      if (first.output(k) == 0 && from.filter != SECOND) {
        int to = number(first.target(k), from.second, FIRST);
        builder.arc(s, first.input(k), 0, first.cost(k), to);
      }
      if (first.output(k) == 0 && from.filter != ANY) {
        continue;
      }
      int label = first.output(k);
      for (int n = find(from.second, label);
          n < second.firstArc(from.second + 1) && second.input(n) == label;
          n++) {
        int to = number(first.target(k), second.target(n), ANY);
        float cost = first.cost(k) + second.cost(n);
        builder.arc(s, first.input(k), second.output(n), cost, to);
      }
    }
    if (from.filter == FIRST) {
      return;
    }
    for (int n = find(from.second, 0);
        n < second.firstArc(from.second + 1) && second.input(n) == 0;
        n++) {
      int to = number(from.first, second.target(n), SECOND);
      builder.arc(s, 0, second.output(n), second.cost(n), to);
    }
  }

  /** First arc of a state of the second transducer whose input is at least a label. */
  private int find(int state, int label) {
    int low = second.firstArc(state);
    int high = second.firstArc(state + 1);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (second.input(middle) < label) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
