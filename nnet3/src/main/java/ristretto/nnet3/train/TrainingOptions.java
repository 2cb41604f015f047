package ristretto.nnet3.train;

import java.io.Serializable;
import ristretto.kernels.ShapeException;

/**
 * Options of training, with Kaldi's names; learning rates and other options of components are
 * stored in the network.
 *
 * @param zeroComponentStats true to reset the components' statistics first
 * @param storeComponentStats true to gather statistics
 * @param printInterval number of minibatches between reports of the objective
 * @param maxParamChange maximum norm of a step over all parameters; 0 for no limit
 * @param momentum fraction of a change carried over to the next step; steps are scaled by 1 -
 *     momentum
 * @param l2Factor factor on the components' l2 regularization
 * @param batchnormStatsScale decay factor of batch normalization statistics per minibatch
 * @param backstitchScale length of the backward step before each step on the same minibatch; 0 for
 *     none
 * @param backstitchInterval number of minibatches per backstitch step
 * @param seed seed of random numbers
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
    long seed)
    implements Serializable {
  /** Kaldi's defaults. */
  public static final TrainingOptions DEFAULT =
      new TrainingOptions(true, true, 100, 2, 0, 1, 0.8, 0, 1, 0);

  /**
   * Checks ranges.
   *
   * @throws ShapeException if a value is out of range
   */
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

  /** Returns a copy with another seed. */
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

  /** Returns a copy with another max-change, momentum and factor of l2 regularization. */
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

  /** Returns a copy without decay of batch normalization statistics. */
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

  /** Returns a copy that continues the components' existing statistics. */
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

  /** Returns a copy with backstitch steps. */
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
