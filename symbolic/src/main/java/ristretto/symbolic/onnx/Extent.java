package ristretto.symbolic.onnx;

/** One extent, or another whole number, for both sets of extents of {@link Extents}. */
public record Extent(long first, long second) {
  /** Always the same. */
  public static Extent known(long value) {
    return new Extent(value, value);
  }

  /** Whether it is always the same. */
  public boolean isKnown() {
    return first == second;
  }

  Extent plus(Extent b) {
    return new Extent(first + b.first, second + b.second);
  }

  Extent minus(Extent b) {
    return new Extent(first - b.first, second - b.second);
  }

  Extent times(Extent b) {
    return new Extent(first * b.first, second * b.second);
  }
}
