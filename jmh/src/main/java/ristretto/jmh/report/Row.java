package ristretto.jmh.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Measurement;

/** Row of the table: a line at one size and number of threads, with all competitors' times. */
public final class Row {
  private final Line line;
  private final Dims dims;
  private final int threads;
  private final Map<String, Measurement> measurements = new LinkedHashMap<>();

  public Row(Line line, Dims dims, int threads) {
    this.line = line;
    this.dims = dims;
    this.threads = threads;
  }

  public Line line() {
    return line;
  }

  public Dims dims() {
    return dims;
  }

  public int threads() {
    return threads;
  }

  public void add(Measurement measurement) {
    measurements.put(measurement.competitor(), measurement);
  }

  public Optional<Measurement> of(String competitor) {
    return Optional.ofNullable(measurements.get(competitor));
  }

  /** Minimum time of a competitor, in nanoseconds per call. */
  public OptionalDouble time(String competitor) {
    Measurement m = measurements.get(competitor);
    return m == null ? OptionalDouble.empty() : OptionalDouble.of(m.least());
  }

  /** Time of a competitor relative to the engine's. */
  public OptionalDouble ratio(String competitor) {
    OptionalDouble theirs = time(competitor);
    OptionalDouble ours = time("ours");
    return theirs.isPresent() && ours.isPresent()
        ? OptionalDouble.of(theirs.getAsDouble() / ours.getAsDouble())
        : OptionalDouble.empty();
  }
}
