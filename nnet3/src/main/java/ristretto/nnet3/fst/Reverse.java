package ristretto.nnet3.fst;

/**
 * Reverses all paths of a transducer. State 0 of the result is a new start state, with epsilon arcs
 * to the former final states; the number of each other state is larger by 1.
 */
public final class Reverse {
  private Reverse() {}

  /** Returns the reversed transducer. */
  public static Fst apply(Fst fst) {
    var builder = new FstBuilder();
    builder.start(0);
    builder.state(fst.states());
    for (int s = 0; s < fst.states(); s++) {
      if (fst.isFinal(s)) {
        builder.arc(0, 0, 0, fst.finalCost(s), s + 1);
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        builder.arc(fst.target(k) + 1, fst.input(k), fst.output(k), fst.cost(k), s + 1);
      }
    }
    if (fst.start() >= 0) {
      builder.finalCost(fst.start() + 1, 0);
    }
    return builder.build();
  }
}
