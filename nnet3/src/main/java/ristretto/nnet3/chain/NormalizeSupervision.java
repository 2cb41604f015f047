package ristretto.nnet3.chain;

import java.util.List;
import java.util.Optional;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.fst.Compose;
import ristretto.nnet3.fst.Determinize;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.fst.Minimize;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.fst.RemoveEpsilons;
import ristretto.nnet3.fst.Renumber;
import ristretto.nnet3.fst.SortArcs;
import ristretto.nnet3.fst.Trim;

/**
 * Adds the costs of a normalization FST to supervisions, which makes the objective a
 * log-probability.
 */
public final class NormalizeSupervision {
  private static final int MOST_STATES = 200_000;

  private final Fst normalization;

  /** Creates the normalization by an acceptor without epsilons. */
  public NormalizeSupervision(Fst normalization) {
    this.normalization = SortArcs.byInput(normalization);
  }

  /**
   * Reads the normalization FST of a file and multiplies its costs by a factor.
   *
   * @throws FileFormatException if it has epsilons or no states
   */
  public static NormalizeSupervision load(String rxfilename, float scale) {
    Fst fst = ReadFst.load(rxfilename);
    if (fst.start() < 0 || !fst.isAcceptor() || fst.hasInputEpsilons()) {
      throw new FileFormatException(
          "[chain] a normalization FST must be an acceptor with states and without epsilons; got another in %s; make it with chain-make-den-fst."
              .formatted(rxfilename));
    }
    return new NormalizeSupervision(scale == 1 ? fst : scaled(fst, scale));
  }

  private static Fst scaled(Fst fst, float scale) {
    var builder = new FstBuilder();
    builder.start(fst.start());
    for (int s = 0; s < fst.states(); s++) {
      if (fst.isFinal(s)) {
        builder.finalCost(s, fst.finalCost(s) * scale);
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        builder.arc(s, fst.input(k), fst.output(k), fst.cost(k) * scale, fst.target(k));
      }
    }
    return builder.build();
  }

  /**
   * Returns a supervision with costs; empty if the normalization FST has none of its strings, or if
   * its FST would become too large.
   *
   * @param supervision supervision of one sequence
   */
  public Optional<ChainSupervision> apply(ChainSupervision supervision) {
    Fst fst = RemoveEpsilons.apply(supervision.fsts().getFirst());
    if (supervision.endToEnd()) {
      return with(supervision, Compose.apply(fst, normalization));
    }
    return smallest(fst)
        .map(small -> Compose.apply(small, normalization))
        .filter(composed -> composed.states() > 0)
        .flatMap(NormalizeSupervision::smallest)
        .flatMap(small -> with(supervision, Renumber.breadthFirst(small)));
  }

  private static Optional<ChainSupervision> with(ChainSupervision supervision, Fst fst) {
    return fst.states() == 0 ? Optional.empty() : Optional.of(supervision.with(List.of(fst)));
  }

  /** Deterministic acceptor of the same strings with the fewest states; empty if it is large. */
  private static Optional<Fst> smallest(Fst fst) {
    return Determinize.apply(fst, MOST_STATES).map(Trim::apply).map(Minimize::apply);
  }
}
