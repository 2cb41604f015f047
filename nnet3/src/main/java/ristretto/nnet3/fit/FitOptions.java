package ristretto.nnet3.fit;

import java.io.Serializable;
import ristretto.nnet3.CompileSettings;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.chain.ChainOptions;
import ristretto.nnet3.egs.ExampleGenerationOptions;
import ristretto.nnet3.egs.MinibatchSizes;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.train.TrainingOptions;
import ristretto.symbolic.optim.OuterStep;

/**
 * Options of a training. Its result is a function of these and of the files that they name.
 *
 * @param start the initial network
 * @param examples training data
 * @param plan length, learning rates and number of workers
 * @param averages averages of the networks of an iteration
 * @param shrinking scaling of parameters between iterations
 * @param end averaging of the last networks, and priors
 * @param minibatch minibatch sizes, in the notation of nnet3-merge-egs
 * @param training options of the trainers
 * @param times time range of derivatives
 * @param settings optimizations to leave out, and compilation choices
 * @param chain options of the chain objective; null for targets of each frame, since an Optional is
 *     not serializable
 * @param seed seed of random numbers
 */
public record FitOptions(
    Start start,
    Examples examples,
    Plan plan,
    Averages averages,
    Shrinking shrinking,
    End end,
    String minibatch,
    TrainingOptions training,
    Times times,
    CompileSettings settings,
    Chain chain,
    int seed)
    implements Serializable {
  /** Checks the minibatch sizes, before any file is made. */
  public FitOptions {
    new MinibatchSizes(minibatch);
  }

  /**
   * Initial network of a training.
   *
   * @param config config of the network; empty if a model is given
   * @param model existing network to train on; empty if a config is given
   * @param initConfig config of the network whose outputs the feature transform is estimated from,
   *     available as {@code lda.mat} to {@code config}; empty for no transform
   * @param randPrune for the statistics of that transform, smaller class weights are randomly set
   *     to this value or zero
   * @param scalePower power of the class frequencies for the scales in {@code
   *     presoftmax_prior_scale.vec}, for a config that reads that file
   * @param classes minimum number of classes
   */
  public record Start(
      String config,
      String model,
      String initConfig,
      double randPrune,
      double scalePower,
      int classes)
      implements Serializable {
    /** Name of the initial network in reports. */
    String name() {
      return config.isEmpty() ? model : config;
    }
  }

  /**
   * Training data.
   *
   * @param folder folder of existing examples; empty to make them
   * @param features table of matrices
   * @param targets table whose type {@code kind} gives
   * @param ivectors table of matrices, or empty
   * @param ivectorPeriod number of frames per row of the i-vectors
   * @param kind type of the targets
   * @param chunks chunk sizes; contexts are added to the network's
   * @param framesPerIteration number of target frames that a worker trains on before networks are
   *     averaged
   * @param validUtterances number of utterances held out for validation
   */
  public record Examples(
      String folder,
      String features,
      String targets,
      String ivectors,
      int ivectorPeriod,
      Kind kind,
      ExampleGenerationOptions chunks,
      int framesPerIteration,
      int validUtterances)
      implements Serializable {
    /** Returns the chunk options with a network's context added. */
    ExampleGenerationOptions chunks(SimpleContext context) {
      return new ExampleGenerationOptions(
          chunks.sizes(),
          chunks.overlap(),
          chunks.subsampling(),
          chunks.left() + context.left(),
          chunks.right() + context.right(),
          chunks.leftInitial() < 0 ? -1 : chunks.leftInitial() + context.left(),
          chunks.rightFinal() < 0 ? -1 : chunks.rightFinal() + context.right());
    }
  }

  /**
   * The chain objective.
   *
   * @param denominator denominator FST
   * @param normalization normalization FST; not used with existing examples
   * @param objective options of the objective
   * @param derivativeWeights true to apply the weights of derivatives of the examples
   */
  public record Chain(
      String denominator, String normalization, ChainOptions objective, boolean derivativeWeights)
      implements Serializable {}

  /** Types of targets. */
  public enum Kind {
    /** One class per frame. */
    ALIGNMENTS,
    /** Weights of classes. */
    POSTERIORS,
    /** Rows of numbers. */
    MATRICES
  }

  /**
   * Length of a training, learning rates and number of workers.
   *
   * @param epochs number of passes over the data
   * @param workers number of networks trained in parallel and averaged, at the start
   * @param lastWorkers number of networks trained in parallel and averaged, at the end
   * @param workerStep the number of workers is a multiple of this once it is reached
   * @param initialRate learning rate at the start
   * @param finalRate learning rate at the end
   * @param dropout Kaldi's schedule of dropout proportions, or empty
   */
  public record Plan(
      double epochs,
      int workers,
      int lastWorkers,
      int workerStep,
      double initialRate,
      double finalRate,
      String dropout)
      implements Serializable {}

  /**
   * Averages of the networks of an iteration.
   *
   * @param step step from one average to the next
   * @param halved true if clusters send the changes of parameters in BF16
   */
  public record Averages(OuterStep step, boolean halved) implements Serializable {}

  /**
   * Scaling of parameters before each iteration.
   *
   * @param proportional the factor is 1 minus this times the learning rate
   * @param value factor used instead if sigmoids and tanhs are saturated and it is smaller
   * @param threshold saturation above which {@code value} applies
   */
  public record Shrinking(double proportional, double value, double threshold)
      implements Serializable {
    /** No scaling. */
    public static final Shrinking NONE = new Shrinking(0, 1, 0.4);
  }

  /**
   * Options of the end of a training.
   *
   * @param combine true to average the last networks
   * @param combined maximum number of networks to average
   * @param evaluations approximate number of evaluations of the objective to find the best number
   * @param priorExamples number of examples for class priors
   * @param posteriors true to compute average outputs even if targets are rows of numbers
   */
  public record End(
      boolean combine, int combined, int evaluations, int priorExamples, boolean posteriors)
      implements Serializable {}

  /**
   * Time range of derivatives, with Kaldi's names.
   *
   * @param min first time
   * @param max last time
   * @param maxRelative last time relative to the last output; ignored if {@link Integer#MAX_VALUE}
   * @param margin number of frames around the network's context for the outputs, which replaces the
   *     other limits; ignored if negative
   */
  public record Times(int min, int max, int maxRelative, int margin) implements Serializable {
    /** All times. */
    public static final Times ALL =
        new Times(Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, -1);

    DerivativeTimes of(ComputationRequest request, SimpleContext context) {
      int first = margin < 0 ? min : -margin - context.left();
      int relative = margin < 0 ? maxRelative : margin + context.right();
      return relative == Integer.MAX_VALUE
          ? new DerivativeTimes(first, max)
          : new DerivativeTimes(first, Integer.MAX_VALUE).relativeTo(request, relative);
    }
  }
}
