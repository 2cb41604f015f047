package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import ristretto.nnet3.network.Nnet;

/** Networks of a training by iteration: number 0 is the initial one. */
final class NetworkFiles {
  private final Path folder;
  private final Fit.Cleanup cleanup;

  NetworkFiles(Path folder, Fit.Cleanup cleanup) {
    this.folder = folder;
    this.cleanup = cleanup;
  }

  Path file(int iteration) {
    return folder.resolve(iteration + ".raw");
  }

  boolean has(int iteration) {
    return Files.exists(file(iteration));
  }

  Nnet load(int iteration) {
    return Nnet.load(file(iteration).toString());
  }

  void save(int iteration, Nnet nnet) {
    nnet.save(file(iteration).toString(), true);
  }

  /** Returns the last iteration with an existing network, or 0. */
  int last(int iterations) {
    int last = iterations;
    while (last > 0 && !has(last)) {
      last--;
    }
    return last;
  }

  /** Removes the network two before an iteration, unless it is needed. */
  void tidy(int iteration, List<Integer> needed) {
    remove(iteration - 2, needed);
  }

  /** Removes all networks but the last, at the end. */
  void tidyAll(int iterations) {
    for (int k = 0; k < iterations; k++) {
      remove(k, List.of());
    }
  }

  private void remove(int iteration, List<Integer> needed) {
    if (cleanup.models()
        && iteration >= 0
        && iteration % cleanup.interval() != 0
        && !needed.contains(iteration)) {
      FitFiles.remove(file(iteration));
    }
  }
}
