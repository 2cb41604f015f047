package ristretto.nnet3.compile;

import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;

/**
 * The times at which derivatives are computed. Those of all other rows count as zero, so that
 * backward need not go through a recurrence to its ends: truncated backpropagation through time.
 *
 * @param min the first
 * @param max the last
 */
public record DerivativeTimes(int min, int max) {
  /** All times. */
  public static final DerivativeTimes ALL =
      new DerivativeTimes(Integer.MIN_VALUE, Integer.MAX_VALUE);

  /** From {@code min} to {@code max}. */
  public DerivativeTimes {
    if (min > max) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[compile] the first time of derivatives must not be after the last; got %d and %d;"
                  + " give a larger max-deriv-time or a smaller min-deriv-time.",
              min,
              max));
    }
  }

  /** Up to {@code relative} after the last time of a request's outputs, whatever {@link #max}. */
  public DerivativeTimes relativeTo(ComputationRequest request, int relative) {
    int last =
        request.outputs().stream()
            .flatMap(io -> io.indexes().stream())
            .mapToInt(Index::t)
            .max()
            .orElse(0);
    return new DerivativeTimes(min, last + relative);
  }

  boolean isAll() {
    return min == Integer.MIN_VALUE && max == Integer.MAX_VALUE;
  }

  boolean has(Index row) {
    return row.t() >= min && row.t() <= max;
  }

  /**
   * Rows of a list from one to before another.
   *
   * @param from the first
   * @param to the end
   */
  record Run(int from, int to) {
    int size() {
      return to - from;
    }
  }

  /** The rows of these times if they lie one after the other; else all rows; empty for none. */
  Run run(List<Index> rows) {
    int from = 0;
    while (from < rows.size() && !has(rows.get(from))) {
      from++;
    }
    int to = from;
    while (to < rows.size() && has(rows.get(to))) {
      to++;
    }
    boolean more = rows.subList(to, rows.size()).stream().anyMatch(this::has);
    return more ? new Run(0, rows.size()) : new Run(from, to);
  }
}
