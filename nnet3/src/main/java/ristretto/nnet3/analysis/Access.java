package ristretto.nnet3.analysis;

import java.util.List;
import ristretto.expr.Trace;

/**
 * Elements that a fused assignment reads or writes.
 *
 * @param elements in the representation of the kernel
 * @param regions rectangles that cover the elements
 * @param isExact true if the rectangles contain no other elements
 */
public record Access(Trace.Access elements, List<SubMatrix> regions, boolean isExact) {
  public Access {
    regions = List.copyOf(regions);
  }

  /** Returns the elements of a matrix that a kernel reads or writes. */
  public static Access of(Trace.Access a, MatrixInfo m) {
    return Rectangles.of(a, Math.max(1, m.columns()));
  }

  int memory() {
    return elements.memory();
  }

  /**
   * Returns true if both accesses cover the same elements of the same memory, in the same order.
   */
  boolean isSameAs(Access other) {
    return elements.memory() == other.elements.memory() && isAtSamePlaceAs(other);
  }

  /** Returns true if both accesses have equal offsets and layouts, in memories that may differ. */
  boolean isAtSamePlaceAs(Access other) {
    Trace.Access a = elements;
    Trace.Access b = other.elements;
    boolean same =
        a.offset() == b.offset() && a.gathered() == b.gathered() && a.extents().equals(b.extents());
    for (int d = 0; same && d < a.extents().size(); d++) {
      same = a.extents().get(d) == 1 || a.strides().get(d).equals(b.strides().get(d));
    }
    return same;
  }

  /** Returns true if an index vector selects the elements. */
  boolean isUnordered() {
    return elements.gathered();
  }

  /** Returns true if a rectangle of this access intersects one of the other access. */
  public boolean meets(Access other) {
    return regions.stream().anyMatch(a -> other.regions.stream().anyMatch(a::meets));
  }
}
