package ristretto.expr.type;

import ristretto.expr.dim.UnknownDims;
import ristretto.expr.index.Size;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;

/**
 * Extents of a tensor, outermost first, of any rank. Extents may be 0; rank 0 has one element.
 * Immutable.
 */
public final class Shape {
  /** Shape of rank 0: one element. */
  public static final Shape SCALAR = new Shape(Longs.EMPTY);

  /** Marks a number of elements that is computed when it is asked for, since it is unknown. */
  private static final long UNKNOWN = -1;

  private final Longs dims;
  private final long size;

  private Shape(Longs dims) {
    this.dims = dims;
    boolean known = true;
    long n = 1;
    for (int k = 0; k < dims.size(); k++) {
      long d = dims.get(k);
      if (d >= 0) {
        n = d == 0 || n == 0 ? 0 : Math.multiplyExact(n, d);
      } else if (UnknownDims.isKnown(d)) {
        throw new ShapeException("[shape] extents must not be negative; got " + dims);
      } else {
        known = false;
      }
    }
    this.size = known || n == 0 ? n : UNKNOWN;
  }

  /**
   * Creates a shape from extents.
   *
   * @throws ShapeException if an extent is negative or the product does not fit in 63 bits
   */
  public static Shape of(long... dims) {
    return of(Longs.of(UnknownDims.canonical(dims)));
  }

  /** Creates a shape from immutable extents, without a copy. */
  public static Shape of(Longs dims) {
    try {
      return dims.size() == 0 ? SCALAR : new Shape(dims);
    } catch (ArithmeticException e) {
      throw new ShapeException(
          "[shape] the number of elements must fit in 63 bits; got " + dims, e);
    }
  }

  /** Number of axes. */
  public int rank() {
    return dims.size();
  }

  /**
   * Extent of an axis; negative axes count from the end.
   *
   * @throws ShapeException if the axis is out of range
   */
  public long dim(int axis) {
    return UnknownDims.read(at(axis(axis, "shape")));
  }

  /** Extent of an axis in [0, rank), for operations: a handle if it is unknown. */
  public long at(int axis) {
    return dims.get(axis);
  }

  /** Number of elements, for operations: a handle if it is unknown. */
  public long elements() {
    long n = size;
    for (int k = 0; size == UNKNOWN && k < dims.size(); k++) {
      n = UnknownDims.times(k == 0 ? 1 : n, dims.get(k));
    }
    return n;
  }

  /** Number of elements. */
  public long size() {
    return UnknownDims.read(elements());
  }

  /** A copy of the extents, for operations: handles if they are unknown. */
  public long[] extents() {
    return dims.toArray();
  }

  /** A copy of the extents. */
  public long[] toArray() {
    long[] all = dims.toArray();
    for (long d : all) {
      UnknownDims.read(d);
    }
    return all;
  }

  /** Immutable list of the extents. */
  public Longs longs() {
    return dims;
  }

  /**
   * Resolves an axis, which may be negative, to [0, rank).
   *
   * @param op name of the operation for the message
   * @throws ShapeException if the axis is out of range
   */
  public int axis(int axis, String op) {
    int resolved = axis < 0 ? axis + rank() : axis;
    if (resolved < 0 || resolved >= rank()) {
      throw new ShapeException(
          "[%s] axis must lie in [%s, %s); got axis %s for shape %s"
              .formatted(op, -rank(), rank(), axis, this));
    }
    return resolved;
  }

  /** Common shape of two shapes by NumPy's broadcasting rule, or null if they do not broadcast. */
  public static Shape broadcast(Shape a, Shape b) {
    if (a.equals(b)) {
      return a;
    }
    if (b.rank() == 0) {
      return a;
    }
    if (a.rank() == 0) {
      return b;
    }
    int rank = Math.max(a.rank(), b.rank());
    long[] dims = new long[rank];
    for (int i = 1; i <= rank; i++) {
      long x = i <= a.rank() ? a.at(a.rank() - i) : 1;
      long y = i <= b.rank() ? b.at(b.rank() - i) : 1;
      if (!UnknownDims.canBroadcast(x, y)) {
        return null;
      }
      dims[rank - i] = UnknownDims.broadcast(x, y);
    }
    return of(dims);
  }

  /** Returns true if this shape broadcasts to {@code to}. */
  public boolean expandsTo(Shape to) {
    return to.equals(broadcast(this, to));
  }

  /** Returns true unless the shapes differ for all values of unknown extents. */
  public boolean canEqual(Shape b) {
    boolean can = rank() == b.rank();
    for (int d = 0; can && d < rank(); d++) {
      can = UnknownDims.canEqual(at(d), b.at(d));
    }
    return can;
  }

  @Override
  public boolean equals(Object o) {
    return this == o || o instanceof Shape s && dims.equals(s.dims);
  }

  @Override
  public int hashCode() {
    return dims.hashCode();
  }

  /** {@code [2,3]}. */
  @Override
  public String toString() {
    var text = new StringBuilder("[");
    for (int i = 0; i < rank(); i++) {
      text.append(i == 0 ? "" : ",").append(Size.text(at(i)));
    }
    return text.append(']').toString();
  }
}
