package ristretto.nnet3.random;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.assertj.core.api.Assertions;

/**
 * The seeds that a test goes through: few, or as many as -Dristretto.nnet3.seeds says, from
 * -Dristretto.nnet3.seed on.
 */
final class Seeds {
  private static final int COUNT = Integer.getInteger("ristretto.nnet3.seeds", 0);
  private static final long FIRST = Long.getLong("ristretto.nnet3.seed", 0);

  /** Number of failures that are reported. */
  private static final int TOLD = 10;

  private Seeds() {}

  /**
   * Does something for each seed, and fails with the seeds for which that fails.
   *
   * @param more seeds that were wrong once: with the few
   */
  static void each(int few, LongConsumer check, long... more) {
    List<String> failed = new ArrayList<>();
    int[] count = new int[1];
    LongStream all =
        COUNT > 0
            ? LongStream.range(FIRST, FIRST + COUNT)
            : LongStream.concat(LongStream.range(FIRST, FIRST + few), LongStream.of(more));
    all.forEach(seed -> {
      try {
        check.accept(seed);
      } catch (RuntimeException | AssertionError e) {
        count[0]++;
        if (failed.size() < TOLD) {
          failed.add("seed " + seed + ": " + e + " at " + place(e));
        }
      }
    });
    if (count[0] > 0) {
      Assertions.fail(count[0] + " seeds failed\n" + String.join("\n\n", failed));
    }
  }

  private static String place(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    for (StackTraceElement at : root.getStackTrace()) {
      if (at.getClassName().startsWith("ristretto")) {
        return (root == e ? "" : root + " ") + at;
      }
    }
    return root.toString();
  }
}
