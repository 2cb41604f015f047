package ristretto.jmh.report;

import java.util.Optional;

/**
 * A measurement that is no line: starting times, overheads, garbage, numbers of kernels.
 *
 * @param name as the option {@code --only} calls it
 * @param what for people
 * @param value measured
 * @param unit of the value
 * @param target largest allowed value, if there is one
 */
public record Fact(String name, String what, double value, String unit, Optional<Double> target) {
  public Fact(String name, String what, double value, String unit, double target) {
    this(name, what, value, unit, Optional.of(target));
  }

  public boolean met() {
    return target.isEmpty() || value <= target.get();
  }
}
