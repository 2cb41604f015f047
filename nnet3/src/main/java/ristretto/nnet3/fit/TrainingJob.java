package ristretto.nnet3.fit;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.train.MinibatchTrainer;
import ristretto.nnet3.train.ObjectiveTotals;
import ristretto.nnet3.train.TrainingOptions;

/**
 * Training of one network on one archive of examples. Its result is a function of the values here,
 * the network and the files: it has the same bits wherever it runs, and if it runs again.
 *
 * @param options options of the whole training
 * @param context input context of the network
 * @param iteration number of the iteration
 * @param number number of the job in the whole training
 * @param archive file with examples
 * @param shift number of frames by which the times of examples are shifted
 * @param sizes minibatch sizes, in the notation of nnet3-merge-egs
 * @param how options of the trainer
 * @param rate learning rate
 */
public record TrainingJob(
    FitOptions options,
    SimpleContext context,
    int iteration,
    int number,
    String archive,
    int shift,
    String sizes,
    TrainingOptions how,
    float rate)
    implements Serializable {

  /** Returns the paths of the files that the job reads. */
  public List<String> files() {
    FitOptions.Chain chain = options.chain();
    return chain == null ? List.of(archive) : List.of(archive, chain.denominator());
  }

  /**
   * Trains a copy of a network.
   *
   * @param device device with the options' settings
   * @param task the objective of the options
   */
  public TrainedNetwork run(
      Context device, PreparedTask task, Nnet before, JobFiles files, CacheSettings cache) {
    return run(device, task.task, before, files, cache);
  }

  private <E extends Example<E>> TrainedNetwork run(
      Context device, FitTask<E> task, Nnet before, JobFiles files, CacheSettings cache) {
    List<E> minibatches =
        TrainingData.shuffled(task, files.copy(archive), shift, how.seed(), sizes);
    MinibatchTrainer<E> trainer =
        task.trainer(device, before, how, cache)
            .lowering(options.settings().lowering())
            .derivativeTimes(request -> options.times().of(request, context));
    trainer.learningRate(rate);
    minibatches.forEach(trainer::train);
    ObjectiveTotals.Value objective = trainer.totals().all().get("output");
    if (objective == null) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[nnet3-fit] each archive must have minibatches; got none in %s; give a smaller"
                  + " --minibatch-size.",
              archive));
    }
    return new TrainedNetwork(trainer.nnet(), objective);
  }
}
