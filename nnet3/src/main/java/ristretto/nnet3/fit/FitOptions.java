package ristretto.nnet3.fit;

import ristretto.nnet3.SimpleContext;
import ristretto.nnet3.egs.ChunkOptions;
import ristretto.nnet3.train.TrainingOptions;

/**
 * What a training is to do.
 *
 * @param config of the network
 * @param features a table of matrices
 * @param targets a table, as {@code kind} says
 * @param ivectors a table of matrices, or empty
 * @param ivectorPeriod frames for a row of them
 * @param kind of the targets
 * @param chunks how utterances are cut; contexts come on top of the network's
 * @param minibatch sizes of minibatches, as nnet3-merge-egs takes them
 * @param epochs how often each frame is used
 * @param workers how many networks are trained side by side at the begin, and averaged
 * @param lastWorkers the same at the end
 * @param framesPerIteration of targets, that a worker uses before networks are averaged
 * @param validUtterances that are kept apart
 * @param initialRate learning rate at the begin
 * @param finalRate learning rate at the end
 * @param shrink parameters become smaller before an iteration by this, times the learning rate
 * @param dropout Kaldi's schedule of dropout proportions, or empty
 * @param combined how many of the last networks may be averaged at the end
 * @param training what trainers are told
 * @param seed of all that is left to chance
 */
public record FitOptions(
    String config,
    String features,
    String targets,
    String ivectors,
    int ivectorPeriod,
    Kind kind,
    ChunkOptions chunks,
    String minibatch,
    double epochs,
    int workers,
    int lastWorkers,
    int framesPerIteration,
    int validUtterances,
    double initialRate,
    double finalRate,
    double shrink,
    String dropout,
    int combined,
    TrainingOptions training,
    int seed) {
  /** With a network's context in addition. */
  FitOptions withContext(SimpleContext context) {
    var wider =
        new ChunkOptions(
            chunks.sizes(),
            chunks.overlap(),
            chunks.subsampling(),
            chunks.left() + context.left(),
            chunks.right() + context.right(),
            chunks.leftInitial() < 0 ? -1 : chunks.leftInitial() + context.left(),
            chunks.rightFinal() < 0 ? -1 : chunks.rightFinal() + context.right());
    return new FitOptions(
        config,
        features,
        targets,
        ivectors,
        ivectorPeriod,
        kind,
        wider,
        minibatch,
        epochs,
        workers,
        lastWorkers,
        framesPerIteration,
        validUtterances,
        initialRate,
        finalRate,
        shrink,
        dropout,
        combined,
        training,
        seed);
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
}
