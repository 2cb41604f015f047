package ristretto.symbolic.onnx;

/** Dimension, or another integer, for each of the three sets of {@link Extents}. */
public record Extent(long first, long second, long third) {
  /** Returns a constant. */
  public static Extent known(long value) {
    return new Extent(value, value, value);
  }

  /** Returns true if the number is constant. */
  public boolean isKnown() {
    return first == second && first == third;
  }

  /** Returns this dimension for the two large sets; the third becomes equal to the second. */
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

  /** Returns the constant factor {@code this / b}; 0 if there is none. */
  long over(Extent b) {
    boolean some = b.first != 0 && b.second != 0 && b.third != 0;
    if (!some || first % b.first != 0) {
      return 0;
    }
    long factor = first / b.first;
    return b.times(known(factor)).equals(this) ? factor : 0;
  }
}
