package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.fst.Determinize;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.fst.Minimize;
import ristretto.nnet3.fst.RemoveEpsilons;
import ristretto.nnet3.fst.Trim;
import ristretto.nnet3.hmm.AddSelfLoops;
import ristretto.nnet3.hmm.Transitions;

/**
 * Turns a supervision whose labels are transitions into an end-to-end one, in which each phone may
 * last as long as it likes.
 */
public final class UnconstrainedSupervision {
  private static final int MOST_STATES = 200_000;

  private final Transitions transitions;
  private final Random random;

  /** Creates the conversion; {@code seed} determines the choice of alignments. */
  public UnconstrainedSupervision(Transitions transitions, long seed) {
    this.transitions = transitions;
    random = new Random(seed);
  }

  /**
   * Returns the end-to-end supervision; empty if its FST would become too large.
   *
   * @param part supervision of one sequence whose labels are transitions
   */
  public Optional<ChainSupervision> apply(ChainSupervision part) {
    if (part.labels() != transitions.count() || part.endToEnd() || part.sequences() != 1) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[chain] labels must be the %d transitions of the model; got a supervision with %d"
                  + " labels; make it with chain-get-supervision --convert-to-pdfs=false.",
              transitions.count(),
              part.labels()));
    }
    Fst fst = RemoveEpsilons.apply(part.fsts().getFirst());
    int[] alignment = alignment(fst);
    return smallest(withoutSelfLoops(fst))
        .map(small -> AddSelfLoops.apply(small, transitions, 0, false))
        .map(looped -> DenominatorFst.pdfs(transitions, looped))
        .flatMap(UnconstrainedSupervision::smallest)
        .map(small ->
            new ChainSupervision(
                part.weight(),
                1,
                part.frames(),
                transitions.model().distributions(),
                true,
                List.of(small),
                alignment));
  }

  private static Optional<Fst> smallest(Fst fst) {
    return Determinize.apply(RemoveEpsilons.apply(fst), MOST_STATES)
        .map(Trim::apply)
        .map(Minimize::apply);
  }

  /** Pdfs of a random path. */
  private int[] alignment(Fst fst) {
    var pdfs = new ArrayList<Integer>();
    int s = fst.start();
    while (fst.firstArc(s) < fst.firstArc(s + 1)) {
      int k = fst.firstArc(s) + random.nextInt(fst.firstArc(s + 1) - fst.firstArc(s));
      pdfs.add(transitions.distribution(fst.input(k)));
      s = fst.target(k);
    }
    return pdfs.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The self-loops of the first frame stay, as a phone may have begun before it. */
  private Fst withoutSelfLoops(Fst fst) {
    var builder = new FstBuilder();
    builder.start(fst.start());
    for (int s = 0; s < fst.states(); s++) {
      if (fst.isFinal(s)) {
        builder.finalCost(s, fst.finalCost(s));
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        boolean dropped = s != fst.start() && transitions.isSelfLoop(fst.input(k));
        int label = dropped ? 0 : fst.input(k);
        builder.arc(s, label, label, fst.cost(k), fst.target(k));
      }
    }
    return builder.build();
  }
}
