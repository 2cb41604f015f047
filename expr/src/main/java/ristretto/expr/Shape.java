package ristretto.expr;

import java.util.Arrays;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;

/**
 * Extents of a tensor, outermost first, of any rank. Extents may be 0; rank 0 has one element.
 * Immutable.
 */
public final class Shape {
  /** Shape of rank 0: one element. */
  public static final Shape SCALAR = new Shape();

  private final long[] dims;
  private final long size;

  private Shape(long... dims) {
    this.dims = dims;
    long n = 1;
    for (long d : dims) {
      if (d < 0) {
        throw new ShapeException(
            "[shape] extents must not be negative; got " + Arrays.toString(dims));
      }
      n = d == 0 || n == 0 ? 0 : Math.multiplyExact(n, d);
    }
    this.size = n;
  }

  /**
   * Creates a shape from extents.
   *
   * @throws ShapeException if an extent is negative or the product does not fit in 63 bits
   */
  public static Shape of(long... dims) {
    try {
      return dims.length == 0 ? SCALAR : new Shape(dims.clone());
    } catch (ArithmeticException e) {
      throw new ShapeException(
          "[shape] the number of elements must fit in 63 bits; got " + Arrays.toString(dims), e);
    }
  }

  static Shape of(Longs dims) {
    return of(dims.toArray());
  }

  /** Number of axes. */
  public int rank() {
    return dims.length;
  }

  /**
   * Extent of an axis; negative axes count from the end.
   *
   * @throws ShapeException if the axis is out of range
   */
  public long dim(int axis) {
    return dims[axis(axis, "shape")];
  }

  long at(int axis) {
    return dims[axis];
  }

  /** Number of elements. */
  public long size() {
    return size;
  }

  /** A copy of the extents. */
  public long[] toArray() {
    return dims.clone();
  }

  Longs longs() {
    return Longs.of(dims);
  }

  /** Resolves an axis, which may be negative, to [0, rank). */
  int axis(int axis, String op) {
    int resolved = axis < 0 ? axis + dims.length : axis;
    if (resolved < 0 || resolved >= dims.length) {
      throw new ShapeException(
          "["
              + op
              + "] axis must lie in ["
              + -dims.length
              + ", "
              + dims.length
              + "); got axis "
              + axis
              + " for shape "
              + this);
    }
    return resolved;
  }

  /** Common shape of two shapes by NumPy's broadcasting rule, or null if they do not broadcast. */
  static Shape broadcast(Shape a, Shape b) {
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
      long x = i <= a.rank() ? a.dims[a.rank() - i] : 1;
      long y = i <= b.rank() ? b.dims[b.rank() - i] : 1;
      if (x != y && x != 1 && y != 1) {
        return null;
      }
      dims[rank - i] = x == 1 ? y : x;
    }
    return of(dims);
  }

  /** Returns true if this shape broadcasts to {@code to}. */
  boolean expandsTo(Shape to) {
    return to.equals(broadcast(this, to));
  }

  @Override
  public boolean equals(Object o) {
    return this == o || o instanceof Shape s && Arrays.equals(dims, s.dims);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(dims);
  }

  /** {@code [2,3]}. */
  @Override
  public String toString() {
    var text = new StringBuilder("[");
    for (int i = 0; i < dims.length; i++) {
      text.append(i == 0 ? "" : ",").append(dims[i]);
    }
    return text.append(']').toString();
  }
}
