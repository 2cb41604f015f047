package ristretto.expr.type;

import ristretto.expr.index.IndexMap;

/**
 * Extents, strides and offset of an {@link LValue} in its memory, in units of elements. Immutable.
 */
public final class Layout {
  private final IndexMap map;
  private final Shape shape;

  /** Creates the layout of an index map. */
  public Layout(IndexMap map) {
    this.map = map;
    this.shape = Shape.of(map.dims);
  }

  /** Row-major layout without gaps. */
  public static Layout contiguous(Shape shape) {
    return new Layout(IndexMap.contiguous(shape.toArray()));
  }

  /** Map from an index to an element. */
  public IndexMap map() {
    return map;
  }

  /** Extents, outermost first. */
  public Shape shape() {
    return shape;
  }

  /** A copy of the strides; a stride of 0 repeats elements, a negative one runs backwards. */
  public long[] strides() {
    return map.strides.clone();
  }

  /** Offset of the first element. */
  public long offset() {
    return map.offset;
  }

  /** Returns true for a row-major layout without gaps. */
  public boolean isContiguous() {
    return map.isContiguous();
  }

  @Override
  public String toString() {
    return shape + " strides " + java.util.Arrays.toString(map.strides) + " offset " + map.offset;
  }
}
