package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Barrier.ConcatCopies;
import ristretto.expr.graph.Concat;
import ristretto.expr.graph.Formula.Index;
import ristretto.expr.graph.Pad;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.I64;
import ristretto.expr.type.PaddingMode;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;

/** Concatenation, and operations composed of concatenations and views. */
final class ArrayManipulation {
  private ArrayManipulation() {}

  static <T> Expr<T> concat(String op, int axis, List<Expr<T>> parts) {
    if (parts.isEmpty()) {
      throw new ShapeException("[" + op + "] there must be at least one part; got none.");
    }
    Expr<T> first = parts.get(0);
    int d = first.shape().axis(axis, op);
    long[] dims = first.shape().extents();
    dims[d] = 0;
    var present = new ArrayList<Expr<T>>();
    for (Expr<T> part : parts) {
      Apply.requireEqual(op, first, part);
      boolean fits = part.shape().rank() == dims.length;
      for (int k = 0; fits && k < dims.length; k++) {
        fits = k == d || UnknownDims.canEqual(part.shape().at(k), dims[k]);
        dims[k] = k == d || !fits ? dims[k] : UnknownDims.equal(part.shape().at(k), dims[k]);
      }
      if (!fits) {
        throw new ShapeException(
            "[%s] parts must have equal extents except along axis %s; got %s and %s."
                .formatted(op, d, first.label(), part.label()));
      }
      dims[d] = UnknownDims.plus(dims[d], part.shape().at(d));
      if (part.shape().at(d) != 0) {
        present.add(part);
      }
    }
    if (present.size() <= 1) {
      return present.isEmpty() ? first : present.get(0);
    }
    Shape shape = Shape.of(dims);
    return present.size() <= Concat.MOST_PARTS
        ? new Computed<>(new Concat(d), first.dtype(), shape, present)
        : new Computed<>(new ConcatCopies(d), first.dtype(), shape, present);
  }

  static <T> Expr<T> stack(int axis, List<Expr<T>> parts) {
    for (Expr<T> part : parts) {
      if (!part.shape().canEqual(parts.get(0).shape())) {
        throw new ShapeException(
            "[stack] parts must have the same shape; got %s and %s."
                .formatted(parts.get(0).label(), part.label()));
      }
    }
    var wide = new ArrayList<Expr<T>>();
    parts.forEach(p -> wide.add(p.unsqueeze(axis)));
    int at = parts.isEmpty() || axis >= 0 ? axis : axis + parts.get(0).shape().rank() + 1;
    return concat("stack", at, wide);
  }

  static <T> List<Expr<T>> split(Expr<T> a, int parts, int axis) {
    int d = a.shape().axis(axis, "split");
    long extent = a.shape().at(d);
    boolean known = UnknownDims.isKnown(extent);
    if (parts < 1 || known && extent % parts != 0) {
      throw new ShapeException(
          ("[split] the axis must divide into equal parts; got %s parts of axis %s of %s; use slice"
                  + " for unequal ones.")
              .formatted(parts, d, a.label()));
    }
    long each = UnknownDims.over(extent, parts);
    var all = new ArrayList<Expr<T>>();
    for (int k = 0; k < parts; k++) {
      all.add(narrow(a, d, UnknownDims.times(k, each), UnknownDims.times(k + 1, each)));
    }
    return all;
  }

  private static <T> Expr<T> narrow(Expr<T> a, int axis, long from, long to) {
    Slice[] slices = new Slice[axis + 1];
    java.util.Arrays.fill(slices, Slice.all());
    slices[axis] = Slice.range(from, to);
    return a.slice(slices);
  }

  static <T> Expr<T> pad(Expr<T> a, Expr<T> fill, long... beforeAfter) {
    int rank = a.shape().rank();
    if (beforeAfter.length % 2 != 0 || beforeAfter.length > 2 * rank) {
      throw new ShapeException(
          "[pad] there must be two amounts per axis; got %s for %s."
              .formatted(beforeAfter.length, a.label()));
    }
    long[] before = new long[rank];
    long[] dims = a.shape().extents();
    for (int k = 0; k < beforeAfter.length; k++) {
      if (beforeAfter[k] < 0) {
        throw new ShapeException(
            "[pad] amounts must not be negative; got "
                + beforeAfter[k]
                + "; slice to remove elements.");
      }
      if (dims[k / 2] > Long.MAX_VALUE - beforeAfter[k]) {
        throw new ShapeException(
            ("[pad] extents must fit in 63 bits; got amounts %s and %s for axis %s of %s; pad"
                    + " less.")
                .formatted(beforeAfter[k - k % 2], beforeAfter[k - k % 2 + 1], k / 2, a.label()));
      }
      dims[k / 2] = UnknownDims.plus(dims[k / 2], beforeAfter[k]);
      before[k / 2] += k % 2 == 0 ? beforeAfter[k] : 0;
    }
    return pad(a, new ViewOp.Pad(Longs.of(before), Shape.of(dims).longs()), fill);
  }

  static <T> Expr<T> pad(Expr<T> a, PaddingMode mode, long... beforeAfter) {
    Expr<T> zeros = pad(a, Scalars.filled(a.dtype(), Shape.SCALAR, 0), beforeAfter);
    return mode == PaddingMode.ZEROS ? zeros : padded(a, mode, beforeAfter);
  }

  /** Pads with elements, by amounts that {@link #pad(Expr, PaddingMode, long...)} has checked. */
  private static <T> Expr<T> padded(Expr<T> a, PaddingMode mode, long... beforeAfter) {
    Expr<T> padded = a;
    for (int d = 0; 2 * d < beforeAfter.length; d++) {
      long before = beforeAfter[2 * d];
      long after = beforeAfter[2 * d + 1];
      if (before != 0 || after != 0) {
        requirePadding(a, mode, d, before, after);
        padded = padded(padded, mode, d, before, after);
      }
    }
    return padded;
  }

  private static void requirePadding(
      Expr<?> a, PaddingMode mode, int axis, long before, long after) {
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
              .formatted(paddingRule(mode), before, after, axis, a.label()));
    }
  }

  private static String paddingRule(PaddingMode mode) {
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
    return concat("pad", axis, parts);
  }

  /** Slice along one axis. */
  static <T> Expr<T> slice(Expr<T> a, int axis, Slice slice) {
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

  private static <T> Expr<T> pad(Expr<T> of, ViewOp.Pad op, Expr<T> fill) {
    return new Computed<>(new Pad(op), of.dtype(), Shape.of(op.dims()), of, fill);
  }

  /** Pads with zeros to {@code shape}. */
  static <T> Expr<T> padZeros(Expr<T> of, long[] before, Shape shape) {
    var op = new ViewOp.Pad(Longs.of(before), shape.longs());
    return pad(of, op, Scalars.filled(of.dtype(), Shape.SCALAR, 0));
  }

  static <T> Expr<T> roll(Expr<T> a, long shift, int axis) {
    int d = a.shape().axis(axis, "roll");
    long extent = a.shape().at(d);
    long by = extent == 0 ? 0 : Math.floorMod(shift, extent);
    return by == 0
        ? a
        : concat(
            "roll", d, List.of(narrow(a, d, extent - by, extent), narrow(a, d, 0, extent - by)));
  }

  static <T> Expr<T> tile(Expr<T> a, long... counts) {
    int rank = Math.max(a.shape().rank(), counts.length);
    long[] ones = new long[2 * rank];
    long[] wide = new long[2 * rank];
    long[] dims = new long[rank];
    for (int d = 0; d < rank; d++) {
      int own = d - (rank - a.shape().rank());
      int given = d - (rank - counts.length);
      long extent = own < 0 ? 1 : a.shape().at(own);
      long count = given < 0 ? 1 : counts[given];
      if (count < 0) {
        throw new ShapeException("[tile] counts must not be negative; got " + count + ".");
      }
      ones[2 * d] = 1;
      ones[2 * d + 1] = extent;
      wide[2 * d] = count;
      wide[2 * d + 1] = extent;
      dims[d] = UnknownDims.times(extent, count);
    }
    return a.reshape(ones).expand(wide).reshape(dims);
  }

  static <T> Expr<T> repeat(Expr<T> a, long count, int axis) {
    int d = a.shape().axis(axis, "repeat");
    if (count < 0) {
      throw new ShapeException("[repeat] the count must not be negative; got " + count + ".");
    }
    long[] dims = a.shape().extents();
    long[] wide = new long[dims.length + 1];
    for (int k = 0; k < wide.length; k++) {
      wide[k] = k == d + 1 ? count : dims[k <= d ? k : k - 1];
    }
    dims[d] = UnknownDims.times(dims[d], count);
    return a.unsqueeze(d + 1).expand(wide).reshape(dims);
  }

  static Expr<I64> matrixCoordinate(String op, Expr<?> a, int axis) {
    requireMatrix(op, a);
    return index(a.shape(), a.shape().axis(axis, op));
  }

  /** Position of each element along an axis, or its row-major number for -1. */
  static Expr<I64> index(Shape shape, int axis) {
    return new Computed<>(new Index(axis), I64.INSTANCE, shape);
  }

  private static void requireMatrix(String op, Expr<?> a) {
    if (a.shape().rank() < 2) {
      throw new ShapeException(
          "[" + op + "] the operand must have two axes or more; got " + a.label() + ".");
    }
  }

  /**
   * Clamps the number of a diagonal such that its sum with a row number fits into 64 bits;
   * diagonals outside of any matrix stay outside.
   */
  static long diagonalNumber(long k) {
    return Math.clamp(k, -(1L << 62), 1L << 62);
  }

  static <T> Expr<T> diagonal(Expr<T> a, long k) {
    requireMatrix("diagonal", a);
    int rank = a.shape().rank();
    long rows = a.shape().at(rank - 2);
    long columns = a.shape().at(rank - 1);
    long firstRow = Math.max(0, -diagonalNumber(k));
    long firstColumn = Math.max(0, diagonalNumber(k));
    long n =
        UnknownDims.positive(
            UnknownDims.min(
                UnknownDims.minus(rows, firstRow), UnknownDims.minus(columns, firstColumn)));
    // Square block that starts at the first element of the diagonal.
    Expr<T> flat =
        narrow(
            narrow(a, rank - 2, firstRow, UnknownDims.plus(firstRow, n)),
            rank - 1,
            firstColumn,
            UnknownDims.plus(firstColumn, n));
    return flat.view(new ViewOp.Diagonal(flat.shape().longs()));
  }
}
