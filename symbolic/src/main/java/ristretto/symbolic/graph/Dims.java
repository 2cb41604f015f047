package ristretto.symbolic.graph;

import java.util.Arrays;
import java.util.stream.Collectors;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Shape with dimensions that may be unknown until a model runs, such as the batch size. */
public final class Dims {
  /** Unknown dimension. */
  public static final long UNKNOWN = -1;

  private final long[] extents;

  private Dims(long... extents) {
    this.extents = extents;
  }

  /**
   * Creates a shape from dimensions, outermost first; {@link #UNKNOWN} is -1.
   *
   * @throws ShapeException if a dimension is below -1
   */
  public static Dims of(long... extents) {
    for (long e : extents) {
      if (e < UNKNOWN) {
        throw new ShapeException(
            "[dims] extents must be at least 0, or -1 if they are not known; got "
                + Arrays.toString(extents)
                + ".");
      }
    }
    return new Dims(extents.clone());
  }

  /** Returns a shape's dimensions. */
  static Dims of(Shape shape) {
    return new Dims(
        Arrays.stream(shape.extents()).map(d -> UnknownDims.isKnown(d) ? d : UNKNOWN).toArray());
  }

  /** Returns the number of axes. */
  public int rank() {
    return extents.length;
  }

  /** Returns the dimension of an axis, -1 if unknown; negative axes count from the end. */
  public long at(int axis) {
    return extents[axis < 0 ? axis + extents.length : axis];
  }

  /** Returns true if every dimension is known. */
  public boolean known() {
    return Arrays.stream(extents).noneMatch(e -> e == UNKNOWN);
  }

  /** Returns true if a shape has the same rank and equal dimensions where they are known. */
  public boolean accepts(Shape shape) {
    boolean fits = shape.rank() == extents.length;
    for (int d = 0; fits && d < extents.length; d++) {
      fits = extents[d] == UNKNOWN || extents[d] == shape.dim(d);
    }
    return fits;
  }

  /**
   * Returns the shape.
   *
   * @throws ShapeException if a dimension is unknown
   */
  public Shape shape() {
    if (!known()) {
      throw new ShapeException("[dims] every dimension must be known; got " + this + ".");
    }
    return Shape.of(extents);
  }

  /** Returns the dimensions, {@link #UNKNOWN} where they are not known. */
  long[] toArray() {
    return extents.clone();
  }

  /** Returns dimensions of the same rank, all unknown. */
  Dims unknown() {
    long[] unknown = extents.clone();
    Arrays.fill(unknown, UNKNOWN);
    return new Dims(unknown);
  }

  /** Returns the dimensions that are equal in a shape of the same rank; others become unknown. */
  Dims common(Dims other) {
    long[] common = extents.clone();
    for (int d = 0; d < common.length; d++) {
      common[d] = common[d] == other.extents[d] ? common[d] : UNKNOWN;
    }
    return new Dims(common);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Dims d && Arrays.equals(extents, d.extents);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(extents);
  }

  /** Returns text like {@code [?, 784]}. */
  @Override
  public String toString() {
    return Arrays.stream(extents)
        .mapToObj(e -> e == UNKNOWN ? "?" : Long.toString(e))
        .collect(Collectors.joining(",", "[", "]"));
  }
}
