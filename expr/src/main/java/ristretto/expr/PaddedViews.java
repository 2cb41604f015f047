package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;

/** Padding with elements of the operand: concatenations of its views, axis by axis. */
final class PaddedViews {
  private PaddedViews() {}

  /** Pads with elements, by amounts that {@link ArrayManipulation#pad} has checked. */
  static <T> Expr<T> of(Expr<T> a, PaddingMode mode, long... beforeAfter) {
    Expr<T> padded = a;
    for (int d = 0; 2 * d < beforeAfter.length; d++) {
      long before = beforeAfter[2 * d];
      long after = beforeAfter[2 * d + 1];
      if (before != 0 || after != 0) {
        check(a, mode, d, before, after);
        padded = padded(padded, mode, d, before, after);
      }
    }
    return padded;
  }

  private static void check(Expr<?> a, PaddingMode mode, int axis, long before, long after) {
    long extent = a.shape().at(axis);
    long most =
        switch (mode) {
          case ZEROS -> throw new AssertionError(mode);
          case REFLECT -> extent - 1;
          case REPLICATE -> extent == 0 ? 0 : Long.MAX_VALUE;
          case CIRCULAR -> extent;
        };
    if (UnknownDims.isKnown(extent) && Math.max(before, after) > most) {
      throw new ShapeException(
          "[pad] %s; got amounts %s and %s for axis %s of %s; pad less, or in another mode."
              .formatted(rule(mode), before, after, axis, a.label()));
    }
  }

  private static String rule(PaddingMode mode) {
    return switch (mode) {
      case ZEROS -> throw new AssertionError(mode);
      case REFLECT -> "reflect padding must be less than the extent of its axis";
      case REPLICATE -> "replicate padding must have an edge to copy";
      case CIRCULAR -> "circular padding must be at most the extent of its axis";
    };
  }

  private static <T> Expr<T> padded(
      Expr<T> a, PaddingMode mode, int axis, long before, long after) {
    List<Expr<T>> parts =
        switch (mode) {
          case ZEROS -> throw new AssertionError(mode);
          case REFLECT -> {
            Expr<T> mirrored = a.flip(axis);
            yield List.of(
                slice(mirrored, axis, Slice.range(-1 - before, -1)),
                a,
                slice(mirrored, axis, Slice.range(1, 1 + after)));
          }
          case REPLICATE ->
              List.of(
                  expanded(slice(a, axis, Slice.range(0, 1)), axis, before),
                  a,
                  expanded(slice(a, axis, Slice.from(-1, 1)), axis, after));
          case CIRCULAR ->
              List.of(
                  before == 0
                      ? slice(a, axis, Slice.range(0, 0))
                      : slice(a, axis, Slice.from(-before, 1)),
                  a,
                  slice(a, axis, Slice.range(0, after)));
        };
    return ArrayManipulation.concat("pad", axis, parts);
  }

  private static <T> Expr<T> slice(Expr<T> a, int axis, Slice slice) {
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Slice.all());
    slices[axis] = slice;
    return a.slice(slices);
  }

  private static <T> Expr<T> expanded(Expr<T> a, int axis, long extent) {
    long[] dims = a.shape().extents();
    dims[axis] = extent;
    return a.expand(dims);
  }
}
