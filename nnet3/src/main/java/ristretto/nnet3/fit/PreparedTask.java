package ristretto.nnet3.fit;

import ristretto.nnet3.chain.DenominatorGraph;

/** Objective of a training, with the files that it needs, for all jobs of a process. */
public final class PreparedTask {
  final FitTask<?> task;

  private PreparedTask(FitTask<?> task) {
    this.task = task;
  }

  /** Reads the files of an objective. */
  public static PreparedTask of(FitOptions options, JobFiles files) {
    FitOptions.Chain chain = options.chain();
    if (chain == null) {
      return new PreparedTask(new TargetTask(options));
    }
    String denominator = files.copy(chain.denominator()).toString();
    return new PreparedTask(
        new ChainTask(options, chain, DenominatorGraph.load(denominator), _ -> {}));
  }
}
