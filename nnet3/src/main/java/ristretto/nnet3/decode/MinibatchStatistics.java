package ristretto.nnet3.decode;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Statistics of the computed minibatches. */
public final class MinibatchStatistics {
  private static final int MOST_TOLD = 10;

  private final Map<Kind, Total> totals = new LinkedHashMap<>();

  /** Form of chunks, and the maximum number of them per minibatch. */
  private record Kind(UtteranceChunk.Form form, int size) {}

  private static final class Total {
    private int done;
    private long chunks;
    private long nanoseconds;
  }

  void add(UtteranceChunk.Form form, int size, int chunks, long nanoseconds) {
    Total total = totals.computeIfAbsent(new Kind(form, size), _ -> new Total());
    total.done++;
    total.chunks += chunks;
    total.nanoseconds += nanoseconds;
  }

  /**
   * Returns two lines in the format of nnet3-compute-batch: the slowest kinds of minibatches, and
   * the totals.
   */
  public List<String> lines() {
    String kinds =
        totals.entrySet().stream()
            .sorted(Comparator.comparingLong(entry -> -entry.getValue().nanoseconds))
            .limit(MOST_TOLD)
            .map(entry -> text(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining());
    return List.of(
        "Minibatch stats: seconds-taken,frames-in:frames-out*minibatch-size=num-done(percent-full%)"
            + "  "
            + kinds
            + (totals.size() > MOST_TOLD ? "..." : ""),
        String.format(
            Locale.ROOT,
            "Did %d tasks in %d minibatches, taking %.2f seconds.",
            totals.values().stream().mapToLong(total -> total.chunks).sum(),
            totals.values().stream().mapToInt(total -> total.done).sum(),
            totals.values().stream().mapToLong(total -> total.nanoseconds).sum() / 1e9));
  }

  private static String text(Kind kind, Total total) {
    return String.format(
        Locale.ROOT,
        "%.2f,%d:%d*%d=%d(%d%%) ",
        total.nanoseconds / 1e9,
        kind.form.inputs(),
        kind.form.outputs(),
        kind.size,
        total.done,
        total.chunks * 100 / ((long) kind.size * total.done));
  }
}
