package ristretto.expr.graph;

import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.Slice;

/** Positions of a {@link Slice} of an axis whose extent is unknown. */
final class UnknownSlice {
  /** Limit of positions: larger ones are beyond the end of any axis. */
  private static final long LIMIT = 1L << 39;

  private UnknownSlice() {}

  /** First position, which may lie outside of the axis if more than one position is selected. */
  static long start(Slice s, long extent) {
    if (s.start() == null) {
      return s.step() > 0 ? 0 : UnknownDims.minus(extent, 1);
    }
    return position(s.start(), extent);
  }

  /** Number of positions, clipped to the axis. */
  static long count(Slice s, long extent) {
    if (s.drop()) {
      return 1;
    }
    long start = start(s, extent);
    if (s.step() > 0) {
      long stop = s.stop() == null ? extent : position(s.stop(), extent);
      long end = UnknownDims.min(stop, extent);
      return steps(UnknownDims.min(UnknownDims.minus(end, start), end), s.step());
    }
    long stop = s.stop() == null ? -1 : position(s.stop(), extent);
    long end = UnknownDims.positive(UnknownDims.plus(stop, 1));
    long begin = UnknownDims.plus(UnknownDims.min(start, UnknownDims.minus(extent, 1)), 1);
    return steps(UnknownDims.minus(begin, end), -Math.max(s.step(), -LIMIT));
  }

  /** Number of steps within a distance. */
  private static long steps(long distance, long step) {
    return UnknownDims.floor(
        UnknownDims.plus(UnknownDims.positive(distance), Math.min(step, LIMIT) - 1),
        Math.min(step, LIMIT));
  }

  private static long position(long at, long extent) {
    boolean beyond = at > Long.MAX_VALUE - LIMIT || at < Long.MIN_VALUE + LIMIT;
    if (beyond || UnknownDims.isKnown(at)) {
      long near = Math.clamp(at, -LIMIT, LIMIT);
      return near < 0 ? UnknownDims.plus(extent, near) : near;
    }
    return UnknownDims.canonical(at)[0];
  }
}
