package ristretto.nnet3.fit;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.egs.ExampleGenerationOptions;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.LdaRows;
import ristretto.nnet3.train.MinibatchTrainer;
import ristretto.nnet3.train.NetworkAverage;
import ristretto.nnet3.train.TrainingOptions;

/** Objective of a training by one command, with its examples, trainer and measures. */
sealed interface FitTask<E extends Example<E>> permits TargetTask, ChainTask {
  /** Reads and writes examples. */
  Holder<E> holder();

  /** End of the names of files with examples in Kaldi's layout. */
  String suffix();

  /** Chunk sizes and contexts of the examples for a network. */
  ExampleGenerationOptions chunks(Nnet nnet);

  /** Number of passes over the data in an epoch; each pass has the data shifted by a frame. */
  int passes();

  /** Opens the targets of utterances. */
  UtteranceTargets<E> targets(Nnet nnet);

  /** Shifts the times of an example by a number of frames. */
  E shifted(E example, int frames);

  /** Creates a trainer for a copy of a network. */
  MinibatchTrainer<E> trainer(
      Context context, Nnet nnet, TrainingOptions options, CacheSettings cache);

  /** Names of the measures of {@link #evaluate} after the objective. */
  List<String> measures();

  /** Measures a network in test mode on minibatches. */
  EvaluationResult evaluate(Nnet nnet, List<E> minibatches);

  /** Creates the average of networks that is best on minibatches. */
  NetworkAverage average(List<E> minibatches, NetworkAverage.Options options, Consumer<String> log);

  /** Adds an example to the statistics of a feature transform. */
  void accept(LdaRows rows, E example);

  /** Writes the class priors of a final network, if the objective has any. */
  void priors(Path file, Nnet nnet, TrainingData<E> data);
}
