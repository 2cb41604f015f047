package ristretto.nnet3.tool;

import ristretto.nnet3.train.TrainingOptions;

/** Common options of the commands that train a network. */
final class TrainingToolOptions {
  private final Option<Boolean> storeStats;
  private final Option<Boolean> zeroStats;
  private final Option<Integer> printInterval;
  private final Option<Float> maxParamChange;
  private final Option<Float> momentum;
  private final Option<Float> l2Factor;
  private final Option<Float> batchnormScale;
  private final Option<Float> backstitchScale;
  private final Option<Integer> backstitchInterval;

  TrainingToolOptions(Options options) {
    storeStats =
        options.bool(
            "store-component-stats", true, "Gather statistics of activations and derivatives");
    zeroStats = options.bool("zero-component-stats", true, "Forget statistics of before training");
    printInterval =
        options.integer(
            "print-interval", 100, "Minibatches after which the objective function is told");
    maxParamChange =
        options.real(
            "max-param-change",
            2,
            "Largest change of all parameters in a minibatch, as Euclidean norm; 0 for any");
    momentum =
        options.real(
            "momentum",
            0,
            "How much of a change goes on into the next minibatch; learning rates are multiplied"
                + " by one minus it");
    l2Factor =
        options.real("l2-regularize-factor", 1, "Factor of the components' own l2-regularize");
    batchnormScale =
        options.real(
            "batchnorm-stats-scale",
            0.8f,
            "By which statistics of batch normalization fade after each minibatch");
    backstitchScale =
        options.real(
            "backstitch-training-scale",
            0,
            "Length of a step back before each step on the same minibatch; 0 for none");
    backstitchInterval =
        options.integer(
            "backstitch-training-interval", 1, "Each so-manieth minibatch has a step back");
  }

  TrainingOptions get(long seed) {
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
