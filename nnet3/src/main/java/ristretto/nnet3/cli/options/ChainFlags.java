package ristretto.nnet3.cli.options;

import ristretto.nnet3.chain.ChainOptions;

/** Options of the chain objective. */
public final class ChainFlags {
  private final Option<Float> leaky;
  private final Option<Float> l2;
  private final Option<Float> outOfRange;
  private final Option<Float> xent;
  private final Option<Boolean> saveMemory;

  /** Adds the options to a command. */
  public ChainFlags(ParseOptions options) {
    ChainOptions normal = ChainOptions.DEFAULT;
    leaky =
        options.real(
            "leaky-hmm-coefficient",
            normal.leakyHmmCoefficient(),
            "Probability of jumps between any states of the denominator graph");
    l2 =
        options.real(
            "l2-regularize",
            normal.l2Regularize(),
            "Factor of the penalty on the squares of the outputs");
    outOfRange =
        options.real(
            "out-of-range-regularize",
            normal.outOfRangeRegularize(),
            "Factor of the penalty on outputs beyond 30");
    xent =
        options.real(
            "xent-regularize",
            normal.xentRegularize(),
            "Factor of the cross-entropy of the output whose name ends in -xent; 0 without it");
    saveMemory =
        options.bool(
            "save-denominator-memory",
            normal.saveMemory(),
            "Keep forward probabilities of few frames, and compute the others twice (Ristretto's"
                + " own option)");
  }

  /** The options as they were given. */
  public ChainOptions get() {
    return new ChainOptions(leaky.get(), l2.get(), outOfRange.get(), xent.get(), saveMemory.get());
  }
}
