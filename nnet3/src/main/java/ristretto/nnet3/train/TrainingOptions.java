package ristretto.nnet3.train;

import ristretto.kernels.ShapeException;

/**
 * How a network is trained, with Kaldi's names; learning rates and such are the components' own.
 *
 * @param zeroComponentStats whether statistics of before are forgotten first
 * @param storeComponentStats whether statistics are gathered
 * @param printInterval minibatches after which the objective is told
 * @param maxParamChange largest norm of a step over all parameters; 0 for any
 * @param momentum how much of a change goes on into the next; steps are shortened accordingly
 * @param l2Factor multiplies the components' own
 * @param batchnormStatsScale by which statistics of batch normalization fade after each minibatch
 * @param backstitchScale length of the step back before each step on the same minibatch; 0 for none
 * @param backstitchInterval each so-manieth minibatch has a step back
 * @param seed of what is left to chance
 */
public record TrainingOptions(
    boolean zeroComponentStats,
    boolean storeComponentStats,
    int printInterval,
    double maxParamChange,
    double momentum,
    double l2Factor,
    double batchnormStatsScale,
    double backstitchScale,
    int backstitchInterval,
    long seed) {
  /** Kaldi's defaults. */
  public static final TrainingOptions DEFAULT =
      new TrainingOptions(true, true, 100, 2, 0, 1, 0.8, 0, 1, 0);

  /** Checks ranges. */
  public TrainingOptions {
    require(momentum >= 0 && momentum < 1, "momentum must be from 0 to below 1", momentum);
    require(maxParamChange >= 0, "max-param-change must be 0 or more", maxParamChange);
    require(printInterval > 0, "print-interval must be 1 or more", printInterval);
    require(
        batchnormStatsScale >= 0 && batchnormStatsScale <= 1,
        "batchnorm-stats-scale must be from 0 to 1",
        batchnormStatsScale);
    require(backstitchScale >= 0, "backstitch-training-scale must be 0 or more", backstitchScale);
    require(
        backstitchInterval > 0,
        "backstitch-training-interval must be 1 or more",
        backstitchInterval);
    require(
        momentum == 0 || backstitchScale == 0,
        "backstitch-training-scale must be 0 with a momentum",
        backstitchScale);
  }

  private static void require(boolean ok, String rule, Object got) {
    if (!ok) {
      throw new ShapeException("[train] %s; got %s; give another.".formatted(rule, got));
    }
  }

  /** The same with another seed. */
  public TrainingOptions withSeed(long other) {
    return new TrainingOptions(
        zeroComponentStats,
        storeComponentStats,
        printInterval,
        maxParamChange,
        momentum,
        l2Factor,
        batchnormStatsScale,
        backstitchScale,
        backstitchInterval,
        other);
  }

  /** The same with another limit of a step, momentum and factor of l2 regularization. */
  public TrainingOptions with(double otherMaxParamChange, double otherMomentum, double otherL2) {
    return new TrainingOptions(
        zeroComponentStats,
        storeComponentStats,
        printInterval,
        otherMaxParamChange,
        otherMomentum,
        otherL2,
        batchnormStatsScale,
        backstitchScale,
        backstitchInterval,
        seed);
  }

  /** The same with statistics of batch normalization over all minibatches. */
  public TrainingOptions withoutFading() {
    return new TrainingOptions(
        zeroComponentStats,
        storeComponentStats,
        printInterval,
        maxParamChange,
        momentum,
        l2Factor,
        1,
        backstitchScale,
        backstitchInterval,
        seed);
  }

  /** The same with statistics that go on from those of before. */
  public TrainingOptions withStatisticsKept() {
    return new TrainingOptions(
        false,
        storeComponentStats,
        printInterval,
        maxParamChange,
        momentum,
        l2Factor,
        batchnormStatsScale,
        backstitchScale,
        backstitchInterval,
        seed);
  }

  /** The same with steps back. */
  public TrainingOptions withBackstitch(double scale, int interval) {
    return new TrainingOptions(
        zeroComponentStats,
        storeComponentStats,
        printInterval,
        maxParamChange,
        momentum,
        l2Factor,
        batchnormStatsScale,
        scale,
        interval,
        seed);
  }
}
