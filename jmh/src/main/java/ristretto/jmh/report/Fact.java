package ristretto.jmh.report;

import java.util.Optional;

/**
 * Measurement other than a line's time: start-up time, overhead, garbage, number of kernels.
 *
 * @param name name for the option {@code --only}
 * @param what description for users
 * @param value measured value
 * @param unit unit of the value
 * @param target maximum value, if there is a target
 */
public record Fact(String name, String what, double value, String unit, Optional<Double> target) {
  public Fact(String name, String what, double value, String unit, double target) {
    this(name, what, value, unit, Optional.of(target));
  }

  public boolean met() {
    return target.isEmpty() || value <= target.get();
  }
}
