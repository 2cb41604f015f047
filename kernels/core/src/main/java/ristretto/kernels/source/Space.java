package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Operand;

/**
 * Iteration space with as few dimensions as its index maps allow: dimensions that are contiguous in
 * every map are joined, and dimensions of extent 1 are dropped.
 */
final class Space {
  final long[] extents;

  /** Innermost original dimension of each dimension of this space, whose strides it has. */
  private final int[] inner;

  private final int[] place;

  private Space(long[] extents, int[] inner, int[] place) {
    this.extents = extents;
    this.inner = inner;
    this.place = place;
  }

  /**
   * Joins the dimensions of a space.
   *
   * @param maps index maps of everything that is read or written
   * @param alone dimensions that must not be joined
   * @param wall dimension that is not joined with the preceding ones; -1 for none
   */
  static Space of(long[] full, List<Affine> maps, BitSet alone, int wall) {
    var extents = new ArrayList<Long>();
    var inner = new ArrayList<Integer>();
    int[] place = new int[full.length];
    boolean blocked = true;
    for (int d = 0; d < full.length; d++) {
      blocked |= d == wall;
      if (full[d] == 1 && !alone.get(d)) {
        place[d] = -1;
        continue;
      }
      int last = extents.size() - 1;
      boolean joins = !blocked && !alone.get(d) && !alone.get(inner.get(last));
      for (int m = 0; joins && m < maps.size(); m++) {
        var strides = maps.get(m).strides();
        joins = strides.get(inner.get(last)) == strides.get(d) * full[d];
      }
      if (joins) {
        extents.set(last, extents.get(last) * full[d]);
        inner.set(last, d);
        place[d] = last;
      } else {
        extents.add(full[d]);
        inner.add(d);
        place[d] = last + 1;
      }
      blocked = false;
    }
    return new Space(
        extents.stream().mapToLong(e -> e).toArray(),
        inner.stream().mapToInt(d -> d).toArray(),
        place);
  }

  /** Returns the dimension for original dimension {@code d}, which must be one of {@code alone}. */
  int place(int d) {
    return place[d];
  }

  /** Number of dimensions of this space that stem from the first {@code n} original ones. */
  int before(int n) {
    int count = 0;
    for (int k : inner) {
      count += k < n ? 1 : 0;
    }
    return count;
  }

  long[] strides(Affine map) {
    long[] strides = new long[inner.length];
    for (int k = 0; k < strides.length; k++) {
      strides[k] = map.strides().get(inner[k]);
    }
    return strides;
  }

  /** Returns all index maps of these operands. */
  static List<Affine> maps(Iterable<? extends Operand> operands) {
    var maps = new ArrayList<Affine>();
    for (Operand operand : operands) {
      switch (operand) {
        case Operand.Value _ -> {}
        case Operand.Index i -> maps.add(i.map());
        case Operand.Memory m -> {
          maps.add(m.map());
          m.gather().ifPresent(g -> maps.add(g.map()));
        }
      }
    }
    return maps;
  }

  /** Returns the dimensions with bounds that exclude some index. */
  static BitSet bounded(long[] extents, Iterable<? extends Operand> operands) {
    var dims = new BitSet();
    for (Operand operand : operands) {
      if (operand instanceof Operand.Memory m) {
        for (Operand.Bound b : m.bounds()) {
          if (excludes(b, extents[b.dim()])) {
            dims.set(b.dim());
          }
        }
      }
    }
    return dims;
  }

  static boolean excludes(Operand.Bound bound, long extent) {
    return bound.from() > 0 || bound.to() < extent;
  }
}
