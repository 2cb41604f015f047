package ristretto.nnet3.fst;

import java.util.function.IntUnaryOperator;

/** Gives arcs other labels; states and arcs keep their order. */
public final class Relabel {
  private Relabel() {}

  /** Returns the acceptor whose labels are a function of the input labels. */
  public static Fst acceptor(Fst fst, IntUnaryOperator label) {
    return apply(fst, label, true);
  }

  /** Returns the transducer whose inputs are a function of the input labels. */
  public static Fst inputs(Fst fst, IntUnaryOperator label) {
    return apply(fst, label, false);
  }

  private static Fst apply(Fst fst, IntUnaryOperator function, boolean both) {
    var builder = new FstBuilder();
    for (int s = 0; s < fst.states(); s++) {
      builder.state(s);
      if (fst.isFinal(s)) {
        builder.finalCost(s, fst.finalCost(s));
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        int label = function.applyAsInt(fst.input(k));
        builder.arc(s, label, both ? label : fst.output(k), fst.cost(k), fst.target(k));
      }
    }
    if (fst.start() >= 0) {
      builder.start(fst.start());
    }
    return builder.build();
  }
}
