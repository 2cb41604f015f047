package ristretto.expr.type;

/**
 * Selection along one axis in {@link ristretto.expr.Expr#slice}; created by {@code all()}, {@code
 * range(...)}, {@code from(...)} and {@code at(k)} in {@link ristretto.expr.Ops}. NumPy's rules:
 * stop is exclusive, negative positions count from the end, ranges are clipped.
 *
 * @param start first position; null for the first element in the direction of the step
 * @param stop exclusive end position; null for the end of the axis in the direction of the step
 * @param step distance of consecutive positions, not 0; negative steps run backwards
 * @param drop true to select only the position {@code start} and drop the axis
 */
public record Slice(Long start, Long stop, long step, boolean drop) {
  /** The whole axis. */
  public static Slice all() {
    return new Slice(null, null, 1, false);
  }

  /** Positions in [start, stop). */
  public static Slice range(long start, long stop) {
    return new Slice(start, stop, 1, false);
  }

  /** Positions from start with a step, to the end of the axis. */
  public static Slice from(long start, long step) {
    return new Slice(start, null, step, false);
  }

  /** Single position, which drops the axis. */
  public static Slice at(long position) {
    return new Slice(position, null, 1, true);
  }
}
