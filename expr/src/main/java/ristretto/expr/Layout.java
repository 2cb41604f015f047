package ristretto.expr;

/** Where the elements of an {@link LValue} lie in its memory, counted in elements. Immutable. */
public final class Layout {
  private final IndexMap map;
  private final Shape shape;

  Layout(IndexMap map) {
    this.map = map;
    this.shape = Shape.of(map.dims);
  }

  static Layout contiguous(Shape shape) {
    return new Layout(IndexMap.contiguous(shape.toArray()));
  }

  IndexMap map() {
    return map;
  }

  /** Extents, outermost first. */
  public Shape shape() {
    return shape;
  }

  /** A copy of the strides; zero repeats an element, negative runs backwards. */
  public long[] strides() {
    return map.strides.clone();
  }

  /** Where the first element lies. */
  public long offset() {
    return map.offset;
  }

  /** Row-major without gaps. */
  public boolean isContiguous() {
    return map.isContiguous();
  }

  @Override
  public String toString() {
    return shape + " strides " + java.util.Arrays.toString(map.strides) + " offset " + map.offset;
  }
}
