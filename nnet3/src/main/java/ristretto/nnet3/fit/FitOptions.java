package ristretto.nnet3.fit;

import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Passes;
import ristretto.nnet3.SimpleContext;
import ristretto.nnet3.compile.DerivativeTimes;
import ristretto.nnet3.egs.ChunkOptions;
import ristretto.nnet3.egs.MinibatchSizes;
import ristretto.nnet3.train.TrainingOptions;

/**
 * What a training is to do. What comes of it is a function of this and of the files that it names.
 *
 * @param start the network that it begins with
 * @param examples what it learns
 * @param plan how much, how fast, and how many networks side by side
 * @param shrinking whether parameters become smaller between iterations
 * @param end what is done with the last networks
 * @param minibatch sizes of minibatches, as nnet3-merge-egs takes them
 * @param training what trainers are told
 * @param times at which derivatives are computed
 * @param passes how computations are made
 * @param seed of all that is left to chance
 */
public record FitOptions(
    Start start,
    Examples examples,
    Plan plan,
    Shrinking shrinking,
    End end,
    String minibatch,
    TrainingOptions training,
    Times times,
    Passes passes,
    int seed) {
  /** Refuses sizes of minibatches that are none, before anything is made. */
  public FitOptions {
    new MinibatchSizes(minibatch);
  }

  /**
   * The network that a training begins with.
   *
   * @param config of the network; empty where there is a model
   * @param model to go on with in place of a new one; empty where there is a config
   * @param initConfig of the network whose outputs a transform of features is made of, which is
   *     there as {@code lda.mat} when {@code config} is read; or empty
   * @param randPrune weights of classes below it become it or zero, at random, in the statistics
   *     behind that transform
   * @param scalePower of how often a class is, which is its scale in {@code
   *     presoftmax_prior_scale.vec}, for a config that reads it
   * @param classes how many there are at least
   */
  public record Start(
      String config,
      String model,
      String initConfig,
      double randPrune,
      double scalePower,
      int classes) {
    /** What it is called. */
    String name() {
      return config.isEmpty() ? model : config;
    }
  }

  /**
   * What a training learns.
   *
   * @param folder of examples that are there already; empty to make them
   * @param features a table of matrices
   * @param targets a table, as {@code kind} says
   * @param ivectors a table of matrices, or empty
   * @param ivectorPeriod frames for a row of them
   * @param kind of the targets
   * @param chunks how utterances are cut; contexts come on top of the network's
   * @param framesPerIteration of targets, that a worker uses before networks are averaged
   * @param validUtterances that are kept apart
   */
  public record Examples(
      String folder,
      String features,
      String targets,
      String ivectors,
      int ivectorPeriod,
      Kind kind,
      ChunkOptions chunks,
      int framesPerIteration,
      int validUtterances) {
    /** Chunks with a network's context in addition. */
    ChunkOptions chunks(SimpleContext context) {
      return new ChunkOptions(
          chunks.sizes(),
          chunks.overlap(),
          chunks.subsampling(),
          chunks.left() + context.left(),
          chunks.right() + context.right(),
          chunks.leftInitial() < 0 ? -1 : chunks.leftInitial() + context.left(),
          chunks.rightFinal() < 0 ? -1 : chunks.rightFinal() + context.right());
    }
  }

  /** What targets are. */
  public enum Kind {
    /** One class a frame. */
    ALIGNMENTS,
    /** Weights of classes. */
    POSTERIORS,
    /** Rows of numbers. */
    MATRICES
  }

  /**
   * How much is trained, how fast, and how many networks side by side.
   *
   * @param epochs how often each frame is used
   * @param workers how many networks are trained side by side at the begin, and averaged
   * @param lastWorkers the same at the end
   * @param workerStep of what these numbers are multiples once they reach it
   * @param initialRate learning rate at the begin
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
      String dropout) {}

  /**
   * By what parameters are multiplied before an iteration.
   *
   * @param proportional 1 minus this times the learning rate
   * @param value where sigmoids and tanhs are saturated, this in place of it, if it is smaller
   * @param threshold from which on they are
   */
  public record Shrinking(double proportional, double value, double threshold) {
    /** By nothing. */
    public static final Shrinking NONE = new Shrinking(0, 1, 0.4);
  }

  /**
   * What is done with the last networks.
   *
   * @param combine whether they are averaged
   * @param combined how many of them may be
   * @param evaluations about how often the objective is computed to find out how many are best
   * @param priorExamples of how many examples priors are
   * @param posteriors whether average outputs are computed where targets are rows of numbers, too
   */
  public record End(
      boolean combine, int combined, int evaluations, int priorExamples, boolean posteriors) {}

  /**
   * The times at which derivatives are computed, with Kaldi's names.
   *
   * @param min the first
   * @param max the last
   * @param maxRelative the last after the last output's, if it is not the largest number
   * @param margin around the frames that the network needs for its outputs, in place of these; none
   *     if negative
   */
  public record Times(int min, int max, int maxRelative, int margin) {
    /** All of them. */
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
