package ristretto.nnet3.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.matrix.Matrix;

/**
 * Times of consecutive runs of a computation on Gaussian noise, from the first run in a process on.
 *
 * @param starts start of each run, in seconds since the start of the first run
 * @param millis duration of each run in milliseconds, including reading its outputs
 */
record RunTimes(List<Double> starts, List<Double> millis) {
  /** Numbers of the runs that are shown individually. */
  private static final int[] SHOWN = {1, 3, 10};

  /** Maximum duration of a warmed-up run, relative to the best run. */
  private static final double WARM = 1.15;

  /** Runs the computation for {@code seconds} seconds, at least once. */
  static RunTimes measure(Computation computation, double seconds) {
    Map<String, Matrix> inputs = computation.noise();
    var starts = new ArrayList<Double>();
    var millis = new ArrayList<Double>();
    long begin = System.nanoTime();
    long now = begin;
    do {
      long start = now;
      computation.run(inputs);
      now = System.nanoTime();
      starts.add((start - begin) / 1e9);
      millis.add((now - start) / 1e6);
    } while (now - begin < seconds * 1e9);
    return new RunTimes(starts, millis);
  }

  double best() {
    return millis.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
  }

  /** Start, in seconds, of the first run that took at most 1.15 times the best run. */
  double warmAfter() {
    double most = WARM * best();
    int k = 0;
    while (millis.get(k) > most) {
      k++;
    }
    return starts.get(k);
  }

  /**
   * Formats the times, such as {@code Computed in 558.2 ms (round 1), ..., 326.1 ms (best of 55),
   * ...}.
   */
  String line() {
    var line = new StringBuilder("Computed in ");
    for (int round : SHOWN) {
      if (round <= millis.size()) {
        line.append(
            String.format(Locale.ROOT, "%.2f ms (round %d), ", millis.get(round - 1), round));
      }
    }
    return line.append(
            String.format(
                Locale.ROOT,
                "%.2f ms (best of %d); within 15 %% of the best after %.1f s",
                best(),
                millis.size(),
                warmAfter()))
        .toString();
  }
}
