package ristretto.symbolic.onnx;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Shape;

/**
 * A shape of which some extents are known only when the model runs. A model is translated for two
 * sets of such extents at once: what differs between both is not known, and what it follows from is
 * found by comparing numbers.
 */
public final class Extents {
  private final long[] first;
  private final long[] second;

  private Extents(long[] first, long[] second) {
    this.first = first;
    this.second = second;
  }

  /** Of the two shapes. */
  public static Extents of(Shape first, Shape second) {
    return new Extents(first.toArray(), second.toArray());
  }

  /** All known. */
  public static Extents known(long... dims) {
    return new Extents(dims.clone(), dims.clone());
  }

  /** Extents one by one. */
  public static Extents of(List<Extent> all) {
    return new Extents(
        all.stream().mapToLong(Extent::first).toArray(),
        all.stream().mapToLong(Extent::second).toArray());
  }

  /** Number of axes. */
  public int rank() {
    return first.length;
  }

  /** One of them. */
  public Extent at(int axis) {
    return new Extent(first[axis], second[axis]);
  }

  /** All of them. */
  public List<Extent> all() {
    var all = new ArrayList<Extent>();
    for (int d = 0; d < first.length; d++) {
      all.add(at(d));
    }
    return all;
  }

  /** For the first set. */
  public Shape first() {
    return Shape.of(first);
  }

  /** For the second set. */
  public Shape second() {
    return Shape.of(second);
  }

  /** NumPy's rule, for shapes that fit. */
  Extents broadcast(Extents other) {
    int rank = Math.max(rank(), other.rank());
    var all = new ArrayList<Extent>();
    for (int d = 0; d < rank; d++) {
      int mine = d - rank + rank();
      int its = d - rank + other.rank();
      Extent a = mine < 0 ? Extent.known(1) : at(mine);
      Extent b = its < 0 ? Extent.known(1) : other.at(its);
      all.add(a.equals(Extent.known(1)) ? b : a);
    }
    return of(all);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Extents e
        && Arrays.equals(first, e.first)
        && Arrays.equals(second, e.second);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(first) + Arrays.hashCode(second);
  }
}
