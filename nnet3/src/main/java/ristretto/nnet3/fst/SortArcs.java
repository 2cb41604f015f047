package ristretto.nnet3.fst;

import java.util.Comparator;
import java.util.stream.IntStream;

/** Sorts the arcs of each state; arcs with equal labels keep their order. */
public final class SortArcs {
  private SortArcs() {}

  /** Sorts arcs by their input labels. */
  public static Fst byInput(Fst fst) {
    return apply(fst, Comparator.comparingInt(fst::input));
  }

  private static Fst apply(Fst fst, Comparator<Integer> order) {
    var builder = new FstBuilder();
    for (int s = 0; s < fst.states(); s++) {
      builder.state(s);
      if (fst.isFinal(s)) {
        builder.finalCost(s, fst.finalCost(s));
      }
      int from = s;
      IntStream.range(fst.firstArc(s), fst.firstArc(s + 1))
          .boxed()
          .sorted(order)
          .forEach(k -> builder.arc(from, fst.input(k), fst.output(k), fst.cost(k), fst.target(k)));
    }
    if (fst.start() >= 0) {
      builder.start(fst.start());
    }
    return builder.build();
  }
}
