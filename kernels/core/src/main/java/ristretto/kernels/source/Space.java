package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Operand;

/**
 * An iteration space with as few dimensions as all its index maps allow: neighbours along which
 * every map goes on are one dimension, and those of extent 1 are left out.
 */
final class Space {
  final long[] extents;

  /** Of each dimension here, the last original one in it, which has its strides. */
  private final int[] inner;

  private final int[] place;

  private Space(long[] extents, int[] inner, int[] place) {
    this.extents = extents;
    this.inner = inner;
    this.place = place;
  }

  /**
   * @param maps of everything that is read or written
   * @param alone dimensions that must stay what they are
   * @param wall dimensions that are not joined with what is before them
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

  /** The dimension that holds original dimension {@code d}, which was to stay alone. */
  int place(int d) {
    return place[d];
  }

  /** How many dimensions are made of the first {@code n} original ones. */
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

  /** All maps of these operands. */
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

  /** Dimensions with bounds that exclude something. */
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
