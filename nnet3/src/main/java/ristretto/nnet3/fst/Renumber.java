package ristretto.nnet3.fst;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Gives the states of a transducer other numbers; the arcs of a state keep their order. */
public final class Renumber {
  private Renumber() {}

  /**
   * Returns the transducer with new numbers of states.
   *
   * @param numbers new number of each state; negative for states that are removed
   */
  static Fst apply(Fst fst, int[] numbers) {
    var builder = new FstBuilder();
    for (int s = 0; s < numbers.length; s++) {
      if (numbers[s] < 0) {
        continue;
      }
      builder.state(numbers[s]);
      if (fst.isFinal(s)) {
        builder.finalCost(numbers[s], fst.finalCost(s));
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        if (numbers[fst.target(k)] >= 0) {
          builder.arc(numbers[s], fst.input(k), fst.output(k), fst.cost(k), numbers[fst.target(k)]);
        }
      }
    }
    if (fst.start() >= 0 && numbers[fst.start()] >= 0) {
      builder.start(numbers[fst.start()]);
    }
    return builder.build();
  }

  /**
   * Numbers states in breadth-first order from the start state, in the order of arcs. States that
   * cannot be reached are removed.
   */
  public static Fst breadthFirst(Fst fst) {
    var numbers = new int[fst.states()];
    Arrays.fill(numbers, -1);
    var order = new int[fst.states()];
    int count = 0;
    if (fst.start() >= 0) {
      numbers[fst.start()] = count;
      order[count++] = fst.start();
    }
    for (int done = 0; done < count; done++) {
      int s = order[done];
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        int to = fst.target(k);
        if (numbers[to] < 0) {
          numbers[to] = count;
          order[count++] = to;
        }
      }
    }
    return apply(fst, numbers);
  }

  /** Numbers states by decreasing number of arcs that enter or leave them. */
  public static Fst byArcs(Fst fst) {
    var arcs = new int[fst.states()];
    for (int s = 0; s < arcs.length; s++) {
      arcs[s] += fst.firstArc(s + 1) - fst.firstArc(s);
    }
    for (int k = 0; k < fst.arcs(); k++) {
      arcs[fst.target(k)]++;
    }
    int[] order =
        IntStream.range(0, arcs.length)
            .boxed()
            .sorted(Comparator.comparingInt(s -> -arcs[s]))
            .mapToInt(Integer::intValue)
            .toArray();
    var numbers = new int[arcs.length];
    for (int n = 0; n < order.length; n++) {
      numbers[order[n]] = n;
    }
    return apply(fst, numbers);
  }
}
