package ristretto.expr.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;

/** Checks the arguments of view operations and creates their {@link ViewOp}. */
public final class Views {
  private Views() {}

  /** Shape of a reshape; an extent of -1 is inferred. */
  public static Shape reshape(Shape from, long... dims) {
    long known = 1;
    int free = -1;
    for (int d = 0; d < dims.length; d++) {
      if (dims[d] == -1 && free < 0) {
        free = d;
      } else if (dims[d] < 0 && UnknownDims.isKnown(dims[d])) {
        throw new ShapeException(
            "[reshape] extents must be at least 0, and one of them may be -1; got "
                + Arrays.toString(dims));
      } else {
        known = UnknownDims.times(known, dims[d]);
      }
    }
    long[] to = dims.clone();
    if (free >= 0 && known != 0 && divides(known, from.elements())) {
      to[free] = UnknownDims.over(from.elements(), known);
    } else if (free >= 0) {
      throw new ShapeException(
          "[reshape] the elements must divide evenly; got %s (%s elements) to %s"
              .formatted(from, from.elements(), Arrays.toString(dims)));
    }
    Shape shape = Shape.of(to);
    if (!UnknownDims.canEqual(shape.elements(), from.elements())) {
      throw new ShapeException(
          "[reshape] the number of elements must not change; got %s (%s elements) to %s (%s)"
              .formatted(from, from.elements(), shape, shape.elements()));
    }
    return shape;
  }

  /** Returns true unless a number of elements does not divide another one. */
  private static boolean divides(long by, long elements) {
    boolean known = UnknownDims.isKnown(by) && UnknownDims.isKnown(elements);
    return !known || by > 0 && elements % by == 0;
  }

  /** Permutation of all axes. */
  public static ViewOp permute(Shape from, int... axes) {
    int rank = from.rank();
    boolean[] seen = new boolean[rank];
    long[] resolved = new long[axes.length];
    long[] dims = new long[axes.length];
    boolean valid = axes.length == rank;
    for (int d = 0; valid && d < rank; d++) {
      int axis = from.axis(axes[d], "permute");
      valid = !seen[axis];
      seen[axis] = true;
      resolved[d] = axis;
      dims[d] = from.at(axis);
    }
    if (!valid) {
      throw new ShapeException(
          "[permute] axes must name each axis once; got %s for shape %s"
              .formatted(Arrays.toString(axes), from));
    }
    return new ViewOp.Permute(Longs.of(resolved), Longs.of(dims));
  }

  /** Broadcast to extents; -1 keeps an extent. */
  public static ViewOp expand(Shape from, long... dims) {
    long[] to = dims.clone();
    int lead = to.length - from.rank();
    for (int d = Math.max(lead, 0); d < to.length; d++) {
      to[d] = to[d] == -1 ? from.at(d - lead) : to[d];
    }
    boolean fits = lead >= 0;
    for (int d = 0; fits && d < from.rank(); d++) {
      long extent = from.at(d);
      fits =
          extent == 1
              || UnknownDims.canEqual(extent, to[lead + d])
              || UnknownDims.canEqual(extent, 1);
      boolean given = extent == 1 || UnknownDims.isKnown(to[lead + d]);
      to[lead + d] = given ? to[lead + d] : UnknownDims.equal(extent, to[lead + d]);
    }
    if (!fits) {
      throw new ShapeException(
          "[expand] only extents of 1 may grow; got " + from + " to " + Arrays.toString(dims));
    }
    return new ViewOp.Expand(Shape.of(to).longs());
  }

  /** Shape without axes of extent 1. */
  public static Shape squeeze(Shape from, int... axes) {
    boolean[] drop = new boolean[from.rank()];
    for (int axis : axes) {
      int resolved = from.axis(axis, "squeeze");
      if (!UnknownDims.canEqual(from.at(resolved), 1)) {
        throw new ShapeException(
            "[squeeze] a squeezed axis must have extent 1; got axis " + axis + " of shape " + from);
      }
      drop[resolved] = true;
    }
    List<Long> dims = new ArrayList<>();
    for (int d = 0; d < from.rank(); d++) {
      if (!(drop[d] || axes.length == 0 && from.at(d) == 1)) {
        dims.add(from.at(d));
      }
    }
    return Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
  }

  /** Shape with a new axis of extent 1. */
  public static Shape unsqueeze(Shape from, int axis) {
    int rank = from.rank() + 1;
    int at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank) {
      throw new ShapeException(
          "[unsqueeze] axis must lie in [%s, %s); got axis %s for shape %s"
              .formatted(-rank, rank, axis, from));
    }
    long[] dims = new long[rank];
    for (int d = 0; d < rank; d++) {
      dims[d] = d == at ? 1 : from.at(d < at ? d : d - 1);
    }
    return Shape.of(dims);
  }

  /** Reversal of axes. */
  public static ViewOp flip(Shape from, int... axes) {
    boolean[] flip = new boolean[from.rank()];
    Arrays.fill(flip, axes.length == 0);
    for (int axis : axes) {
      flip[from.axis(axis, "flip")] = true;
    }
    long[] starts = new long[from.rank()];
    long[] steps = new long[from.rank()];
    for (int d = 0; d < starts.length; d++) {
      long last = UnknownDims.minus(from.at(d), 1);
      starts[d] = flip[d] && last != -1 ? last : 0;
      steps[d] = flip[d] ? -1 : 1;
    }
    return new ViewOp.Step(Longs.of(starts), Longs.of(steps), from.longs());
  }

  /**
   * Slice and its result shape.
   *
   * @param shape shape without the dropped axes
   */
  public record Sliced(ViewOp.Step step, Shape shape) {}

  /** Strided slice with one slice per axis; trailing axes are whole. */
  public static Sliced slice(Shape from, Slice... slices) {
    if (slices.length > from.rank()) {
      throw new ShapeException(
          "[slice] there must be at most one slice per axis; got %s for shape %s"
              .formatted(slices.length, from));
    }
    int rank = from.rank();
    long[] starts = new long[rank];
    long[] steps = new long[rank];
    long[] dims = new long[rank];
    List<Long> kept = new ArrayList<>();
    for (int d = 0; d < rank; d++) {
      Slice s = d < slices.length ? slices[d] : Slice.all();
      long extent = from.at(d);
      if (!UnknownDims.isKnown(extent)) {
        starts[d] = UnknownSlice.start(s, extent);
        steps[d] = s.step();
        dims[d] = UnknownSlice.count(s, extent);
        if (!s.drop()) {
          kept.add(dims[d]);
        }
        continue;
      }
      if (s.drop()) {
        long at = s.start() < 0 ? s.start() + extent : s.start();
        if (at < 0 || at >= extent) {
          throw new ShapeException(
              "[slice] position must lie in [%s, %s); got at(%s) for axis %s of shape %s"
                  .formatted(-extent, extent, s.start(), d, from));
        }
        starts[d] = at;
        steps[d] = 1;
        dims[d] = 1;
        continue;
      }
      if (s.step() == 0) {
        throw new ShapeException(
            "[slice] a step must not be 0; got 0 for axis " + d + " of shape " + from);
      }
      boolean up = s.step() > 0;
      long start = s.start() == null ? (up ? 0 : extent - 1) : clip(s.start(), extent, up);
      long stop = s.stop() == null ? (up ? extent : -1) : clip(s.stop(), extent, up);
      starts[d] = start;
      // Long.MIN_VALUE has no negation; either step leaves the axis at once.
      long step = Math.max(s.step(), -Long.MAX_VALUE);
      steps[d] = step;
      dims[d] =
          Math.max(0, up ? Math.ceilDiv(stop - start, step) : Math.ceilDiv(start - stop, -step));
      kept.add(dims[d]);
    }
    var step = new ViewOp.Step(Longs.of(starts), Longs.of(steps), Longs.of(dims));
    return new Sliced(step, Shape.of(kept.stream().mapToLong(Long::longValue).toArray()));
  }

  private static long clip(long at, long extent, boolean up) {
    long v = at < 0 ? at + extent : at;
    return up ? Math.max(0, Math.min(v, extent)) : Math.max(-1, Math.min(v, extent - 1));
  }

  /** Sliding windows over the last axes. */
  public static ViewOp.Windows windows(Shape from, long[] sizes, long[] strides, long[] dilations) {
    int n = sizes.length;
    boolean valid = n <= from.rank() && strides.length == n && dilations.length == n;
    long[] dims = Arrays.copyOf(from.extents(), from.rank() + n);
    for (int a = 0; valid && a < n; a++) {
      int d = from.rank() - n + a;
      long reach = (sizes[a] - 1) * dilations[a] + 1;
      long room = UnknownDims.minus(from.at(d), reach);
      valid =
          sizes[a] > 0
              && strides[a] > 0
              && dilations[a] > 0
              && (room >= 0 || !UnknownDims.isKnown(room));
      dims[d] = valid ? UnknownDims.plus(UnknownDims.floor(room, strides[a]), 1) : 0;
      dims[from.rank() + a] = sizes[a];
    }
    if (!valid) {
      throw new ShapeException(
          ("[windows] sizes, strides and dilations must be positive, one for each axis, and windows"
                  + " must fit; got sizes %s, strides %s, dilations %s for shape %s; pad it first.")
              .formatted(
                  Arrays.toString(sizes),
                  Arrays.toString(strides),
                  Arrays.toString(dilations),
                  from));
    }
    return new ViewOp.Windows(
        Longs.of(sizes), Longs.of(strides), Longs.of(dilations), Longs.of(dims));
  }
}
