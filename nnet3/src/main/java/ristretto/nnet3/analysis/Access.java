package ristretto.nnet3.analysis;

import java.util.List;
import ristretto.expr.Trace;

/**
 * Elements that a fused assignment reads or writes.
 *
 * @param elements as a kernel has them
 * @param regions rectangles that hold them, and nothing else if they are exact
 * @param isExact false where more elements than these lie in the rectangles
 */
public record Access(Trace.Access elements, List<Region> regions, boolean isExact) {
  public Access {
    regions = List.copyOf(regions);
  }

  /** The elements of a matrix that a kernel reads or writes. */
  public static Access of(Trace.Access a, Memory m) {
    return Rectangles.of(a, Math.max(1, m.columns()));
  }

  int memory() {
    return elements.memory();
  }

  /** Whether the same elements are meant, in the same order. */
  boolean isSameAs(Access other) {
    return elements.memory() == other.elements.memory() && isAtSamePlaceAs(other);
  }

  /** Whether the elements would be the same if both memories were one. */
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

  /** Whether only an index vector says which elements are meant. */
  boolean isUnordered() {
    return elements.gathered();
  }

  /** Whether some rectangle of both is one. */
  public boolean meets(Access other) {
    return regions.stream().anyMatch(a -> other.regions.stream().anyMatch(a::meets));
  }
}
