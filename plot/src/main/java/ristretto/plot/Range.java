package ristretto.plot;

/**
 * Range of finite numbers.
 *
 * @param low smallest number; above {@code high} if there is none
 */
record Range(double low, double high) {
  static final Range NONE = new Range(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);

  static Range of(double[] values) {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (double v : values) {
      if (Double.isFinite(v)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
    return new Range(low, high);
  }

  boolean isEmpty() {
    return low > high;
  }

  Range with(Range other) {
    return new Range(Math.min(low, other.low), Math.max(high, other.high));
  }

  /** Wider range if this has no extent, so that an axis can be drawn. */
  Range drawable() {
    if (isEmpty()) {
      return new Range(0, 1);
    }
    if (low < high) {
      return this;
    }
    double by = low == 0 ? 0.5 : Math.abs(low) * 0.1;
    return new Range(low - by, high + by);
  }

  double share(double v) {
    return high > low ? (v - low) / (high - low) : 0.5;
  }
}
