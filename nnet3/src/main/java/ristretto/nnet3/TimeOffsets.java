package ristretto.nnet3;

import java.util.Collections;
import java.util.List;

/**
 * Time offsets, relative to an output row, at which a component reads input rows. An output row
 * exists only if there is an input row at some offset from {@code first} to {@code last}.
 *
 * @param distances all offsets, if they are equal for each row; else empty
 * @param required offsets at which an input row must exist
 */
public record TimeOffsets(int first, int last, List<Integer> distances, List<Integer> required) {
  /** Copies the lists. */
  public TimeOffsets {
    distances = List.copyOf(distances);
    required = List.copyOf(required);
  }

  /** Returns the reach of a component whose offsets are equal for each row. */
  public static TimeOffsets of(List<Integer> distances, List<Integer> required) {
    return new TimeOffsets(
        Collections.min(distances), Collections.max(distances), distances, required);
  }

  /**
   * Returns the reach of a component that reads a row-dependent subset of the offsets from {@code
   * first} to {@code last}.
   */
  public static TimeOffsets within(int first, int last) {
    return new TimeOffsets(first, last, List.of(), List.of());
  }

  /** Returns true if all rows have the same offsets. */
  public boolean isFixed() {
    return !distances.isEmpty();
  }
}
