package ristretto.nnet3;

import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/**
 * Time range in which derivatives are computed. Derivatives of other rows count as zero, so that
 * backward stops before the ends of a recurrence: truncated backpropagation through time.
 *
 * @param min first time
 * @param max last time
 */
public record DerivativeTimes(int min, int max) {
  /** All times. */
  public static final DerivativeTimes ALL =
      new DerivativeTimes(Integer.MIN_VALUE, Integer.MAX_VALUE);

  /**
   * Range from {@code min} to {@code max}, inclusive.
   *
   * @throws ShapeException if {@code min > max}
   */
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

  /**
   * Returns a range that ends {@code relative} frames after the last output time of a request;
   * {@link #max} is ignored.
   */
  public DerivativeTimes relativeTo(ComputationRequest request, int relative) {
    int last =
        request.outputs().stream()
            .flatMap(io -> io.indexes().stream())
            .mapToInt(Index::t)
            .max()
            .orElse(0);
    return new DerivativeTimes(min, last + relative);
  }

  /** Returns true if no time is excluded. */
  public boolean isAll() {
    return min == Integer.MIN_VALUE && max == Integer.MAX_VALUE;
  }

  /** Returns true if the derivative of a row is computed. */
  public boolean has(Index row) {
    return row.t() >= min && row.t() <= max;
  }

  /**
   * Half-open range of a list of rows.
   *
   * @param from index of the first row
   * @param to index after the last row
   */
  public record Run(int from, int to) {
    /** Number of rows. */
    public int size() {
      return to - from;
    }
  }

  /**
   * Returns the range of the rows within these times if they are consecutive; all rows otherwise;
   * an empty range if there are none.
   */
  public Run run(List<Index> rows) {
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
