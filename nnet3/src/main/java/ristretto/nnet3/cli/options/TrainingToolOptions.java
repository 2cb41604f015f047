package ristretto.nnet3.cli.options;

import ristretto.nnet3.train.TrainingOptions;

/** Common options of the commands that train a network. */
public final class TrainingToolOptions {
  private final Option<Boolean> storeStats;
  private final Option<Boolean> zeroStats;
  private final Option<Integer> printInterval;
  private final Option<Float> maxParamChange;
  private final Option<Float> momentum;
  private final Option<Float> l2Factor;
  private final Option<Float> batchnormScale;
  private final Option<Float> backstitchScale;
  private final Option<Integer> backstitchInterval;

  public TrainingToolOptions(ParseOptions options) {
    storeStats =
        options.bool(
            "store-component-stats", true, "Accumulate statistics of activations and derivatives");
    zeroStats = options.bool("zero-component-stats", true, "Reset statistics before training");
    printInterval =
        options.integer(
            "print-interval",
            100,
            "Number of minibatches between log lines of the objective function");
    maxParamChange =
        options.real(
            "max-param-change",
            2,
            "Largest Euclidean norm of the change of all parameters in a minibatch; 0 for no"
                + " limit");
    momentum =
        options.real(
            "momentum",
            0,
            "Fraction of a change that is added to the next one; learning rates are multiplied by"
                + " one minus the momentum");
    l2Factor = options.real("l2-regularize-factor", 1, "Factor of each component's l2-regularize");
    batchnormScale =
        options.real(
            "batchnorm-stats-scale",
            0.8f,
            "Decay factor of batch normalization statistics per minibatch");
    backstitchScale =
        options.real(
            "backstitch-training-scale",
            0,
            "Scale of backstitch training: length of a step back before each step on the same"
                + " minibatch; 0 for none");
    backstitchInterval =
        options.integer(
            "backstitch-training-interval", 1, "Number of minibatches per backstitch step");
  }

  public TrainingOptions get(long seed) {
    return new TrainingOptions(
        zeroStats.get(),
        storeStats.get(),
        printInterval.get(),
        maxParamChange.get(),
        momentum.get(),
        l2Factor.get(),
        batchnormScale.get(),
        backstitchScale.get(),
        backstitchInterval.get(),
        seed);
  }
}
