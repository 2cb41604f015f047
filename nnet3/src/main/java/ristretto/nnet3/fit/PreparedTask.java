package ristretto.nnet3.fit;

import java.util.Optional;
import ristretto.nnet3.chain.DenominatorGraph;

/** What the jobs of a training share in a process: its objective, with the files that it needs. */
public final class PreparedTask {
  final FitTask<?> task;

  private PreparedTask(FitTask<?> task) {
    this.task = task;
  }

  /** Reads the files of an objective. */
  public static PreparedTask of(FitOptions options, JobFiles files) {
    Optional<FitOptions.Chain> chain = options.chain();
    if (chain.isEmpty()) {
      return new PreparedTask(new TargetTask(options));
    }
    String denominator = files.copy(chain.get().denominator()).toString();
    return new PreparedTask(
        new ChainTask(options, chain.get(), DenominatorGraph.load(denominator), _ -> {}));
  }
}
