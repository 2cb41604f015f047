package ristretto.symbolic.onnx;

/**
 * One extent, or another whole number, for each of the three sets of extents of {@link Extents}.
 */
public record Extent(long first, long second, long third) {
  /** Always the same. */
  public static Extent known(long value) {
    return new Extent(value, value, value);
  }

  /** Whether it is always the same. */
  public boolean isKnown() {
    return first == second && first == third;
  }

  /** For the sets of large extents alone. */
  Extent large() {
    return new Extent(first, second, second);
  }

  Extent plus(Extent b) {
    return new Extent(first + b.first, second + b.second, third + b.third);
  }

  Extent minus(Extent b) {
    return new Extent(first - b.first, second - b.second, third - b.third);
  }

  Extent times(Extent b) {
    return new Extent(first * b.first, second * b.second, third * b.third);
  }

  /** The number that this is {@code b} times, the same for all sets; 0 if there is none. */
  long over(Extent b) {
    boolean some = b.first != 0 && b.second != 0 && b.third != 0;
    if (!some || first % b.first != 0) {
      return 0;
    }
    long factor = first / b.first;
    return b.times(known(factor)).equals(this) ? factor : 0;
  }
}
