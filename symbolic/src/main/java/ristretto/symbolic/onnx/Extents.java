package ristretto.symbolic.onnx;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import ristretto.expr.Shape;

/**
 * Shape with dimensions that may be unknown until the model runs. A model is translated for three
 * sets of dimensions at once, two of large ones and one of small ones: a number that differs
 * between the sets is unknown, and its formula is found by comparing the three numbers.
 */
public final class Extents {
  private final List<Extent> all;

  private Extents(List<Extent> all) {
    this.all = all;
  }

  /** Returns the combination of three shapes. */
  public static Extents of(Shape first, Shape second, Shape third) {
    if (first.rank() != second.rank() || first.rank() != third.rank()) {
      throw new Unsayable("another formula for each shape");
    }
    var all = new ArrayList<Extent>();
    for (int d = 0; d < first.rank(); d++) {
      all.add(new Extent(first.dim(d), second.dim(d), third.dim(d)));
    }
    return of(all);
  }

  /** Returns a shape of known dimensions. */
  public static Extents known(long... dims) {
    return of(LongStream.of(dims).mapToObj(Extent::known).toList());
  }

  /** Returns a shape of these dimensions. */
  public static Extents of(List<Extent> all) {
    return new Extents(List.copyOf(all));
  }

  /** Returns the number of axes. */
  public int rank() {
    return all.size();
  }

  /** Returns the dimension of an axis. */
  public Extent at(int axis) {
    return all.get(axis);
  }

  /** Returns all dimensions. */
  public List<Extent> all() {
    return all;
  }

  /** Returns the shape of the first set. */
  public Shape first() {
    return shape(Extent::first);
  }

  /** Returns the shape of the second set. */
  public Shape second() {
    return shape(Extent::second);
  }

  /** Returns the shape of the third set. */
  public Shape third() {
    return shape(Extent::third);
  }

  private Shape shape(ToLongFunction<Extent> of) {
    return Shape.of(all.stream().mapToLong(of).toArray());
  }

  /**
   * Returns the shape broadcast with another one by NumPy's rule; assumes that they are compatible.
   */
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
    return o instanceof Extents e && all.equals(e.all);
  }

  @Override
  public int hashCode() {
    return all.hashCode();
  }
}
