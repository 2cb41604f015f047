package ristretto.nnet3;

import java.util.Collections;
import java.util.List;

/**
 * At which distances in time from an output row a component looks for input rows. A row has a value
 * only if there is an input row at one of the distances from {@code first} to {@code last}.
 *
 * @param distances all of them, where they are the same for each row; else none
 * @param required those at which there must be a row
 */
public record TimeReach(int first, int last, List<Integer> distances, List<Integer> required) {
  /** Lists of one length for all rows. */
  public TimeReach {
    distances = List.copyOf(distances);
    required = List.copyOf(required);
  }

  /** The same distances for each row. */
  public static TimeReach of(List<Integer> distances, List<Integer> required) {
    return new TimeReach(
        Collections.min(distances), Collections.max(distances), distances, required);
  }

  /** Some of a range. */
  public static TimeReach within(int first, int last) {
    return new TimeReach(first, last, List.of(), List.of());
  }

  /** Whether all rows have the same distances. */
  public boolean isFixed() {
    return !distances.isEmpty();
  }
}
