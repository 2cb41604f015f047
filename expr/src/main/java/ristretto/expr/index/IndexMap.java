package ristretto.expr.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Affine index map: element i of {@code dims} is at {@code offset + sum strides[d] * i[d]}, valid
 * only for {@code low[d] <= i[d] < high[d]}. Views ({@link ViewOp}) transform maps; memory layouts
 * are maps that are valid everywhere. In the body of a loop the offset is that of the first
 * iteration and advances by {@code motion} from iteration to iteration.
 */
public final class IndexMap {
  public final long[] dims;
  public final long[] strides;
  public final long[] low;
  public final long[] high;
  public final long offset;
  public final long motion;

  private IndexMap(long[] dims, long[] strides, long[] low, long[] high, long offset, long motion) {
    this.dims = dims;
    this.strides = strides;
    this.low = low;
    this.high = high;
    this.offset = offset;
    this.motion = motion;
  }

  public static IndexMap of(long[] dims, long[] strides, long offset) {
    return new IndexMap(dims, strides, new long[dims.length], dims.clone(), offset, 0);
  }

  /** Row-major numbering of {@code dims}. */
  public static IndexMap contiguous(long[] dims) {
    return of(dims, contiguousStrides(dims), 0);
  }

  /** Map to the coordinate along {@code axis}. */
  public static IndexMap coordinate(long[] dims, int axis) {
    long[] strides = new long[dims.length];
    strides[axis] = 1;
    return of(dims, strides, 0);
  }

  public static long[] contiguousStrides(long[] dims) {
    long[] strides = new long[dims.length];
    long step = 1;
    for (int d = dims.length - 1; d >= 0; d--) {
      strides[d] = step;
      step *= Math.max(dims[d], 1);
    }
    return strides;
  }

  /** Returns this map with its offset increased. */
  public IndexMap further(long by) {
    return new IndexMap(dims, strides, low, high, offset + by, motion);
  }

  /** Returns this map with its offset advancing from iteration to iteration of a loop. */
  public IndexMap moving(long by) {
    return new IndexMap(dims, strides, low, high, offset, by);
  }

  /** Returns the map in iteration {@code iteration} of the loop. */
  public IndexMap at(long iteration) {
    return new IndexMap(dims, strides, low, high, offset + iteration * motion, 0);
  }

  /** Returns a map with other extents, strides and bounds from the same offset. */
  IndexMap with(long[] newDims, long[] newStrides, long[] newLow, long[] newHigh) {
    return new IndexMap(newDims, newStrides, newLow, newHigh, offset, motion);
  }

  /** Returns an unbounded map with other extents and strides from the same offset. */
  public IndexMap with(long[] newDims, long[] newStrides) {
    return with(newDims, newStrides, new long[newDims.length], newDims.clone());
  }

  public boolean bounded(int d) {
    return low[d] > 0 || high[d] < dims[d];
  }

  public boolean bounded() {
    for (int d = 0; d < dims.length; d++) {
      if (bounded(d)) {
        return true;
      }
    }
    return false;
  }

  public boolean isEmpty() {
    for (long d : dims) {
      if (d == 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns true for a row-major map without gaps; extents of 1 may have any stride. */
  public boolean isContiguous() {
    long step = 1;
    for (int d = dims.length - 1; d >= 0; d--) {
      if (dims[d] != 1 && strides[d] != step) {
        return false;
      }
      step *= dims[d];
    }
    return !bounded();
  }

  /** Returns true if both maps are equal at every index. */
  public boolean sameElements(IndexMap o) {
    if (offset != o.offset || motion != o.motion || !Arrays.equals(dims, o.dims)) {
      return false;
    }
    for (int d = 0; d < dims.length; d++) {
      if (dims[d] > 1 && strides[d] != o.strides[d]) {
        return false;
      }
    }
    return true;
  }

  /** Lowest offset reached; the map must not be empty. */
  public long first() {
    long at = offset;
    for (int d = 0; d < dims.length; d++) {
      at += strides[d] < 0 ? strides[d] * (dims[d] - 1) : 0;
    }
    return at;
  }

  /** Highest offset reached; the map must not be empty. */
  public long last() {
    long at = offset;
    for (int d = 0; d < dims.length; d++) {
      at += strides[d] > 0 ? strides[d] * (dims[d] - 1) : 0;
    }
    return at;
  }

  /**
   * Returns false only if the maps provably share no element: disjoint ranges, or elements
   * interleaved by a common stride.
   */
  public boolean mayOverlap(IndexMap o) {
    if (isEmpty() || o.isEmpty()) {
      return false;
    }
    if (motion != o.motion) {
      return true;
    }
    if (last() < o.first() || o.last() < first()) {
      return false;
    }
    long gcd = 0;
    for (int d = 0; d < dims.length; d++) {
      gcd = dims[d] > 1 ? gcd(gcd, strides[d]) : gcd;
    }
    for (int d = 0; d < o.dims.length; d++) {
      gcd = o.dims[d] > 1 ? gcd(gcd, o.strides[d]) : gcd;
    }
    if (gcd > 1 && (offset - o.offset) % gcd != 0) {
      return false;
    }
    return !separate(o);
  }

  /**
   * Returns true if two maps of equal positive strides provably share no element: no index
   * differences e within range solve {@code sum strides[d] * e[d] = difference of offsets}.
   */
  private boolean separate(IndexMap o) {
    if (!Arrays.equals(strides, o.strides)) {
      return false;
    }
    Integer[] order = new Integer[dims.length];
    for (int d = 0; d < dims.length; d++) {
      order[d] = d;
      if (strides[d] <= 0) {
        return false;
      }
    }
    Arrays.sort(order, (x, y) -> Long.compare(strides[y], strides[x]));
    return !meets(o, order, 0, o.offset - offset);
  }

  private boolean meets(IndexMap o, Integer[] order, int k, long delta) {
    if (k == order.length) {
      return delta == 0;
    }
    long innerLow = 0;
    long innerHigh = 0;
    for (int j = k + 1; j < order.length; j++) {
      innerLow -= strides[order[j]] * (o.dims[order[j]] - 1);
      innerHigh += strides[order[j]] * (dims[order[j]] - 1);
    }
    int d = order[k];
    long from = Math.max(1 - o.dims[d], Math.ceilDiv(delta - innerHigh, strides[d]));
    long to = Math.min(dims[d] - 1, Math.floorDiv(delta - innerLow, strides[d]));
    if (to - from > 8) {
      return true;
    }
    for (long e = from; e <= to; e++) {
      if (meets(o, order, k + 1, delta - e * strides[d])) {
        return true;
      }
    }
    return false;
  }

  private static long gcd(long a, long b) {
    a = Math.abs(a);
    b = Math.abs(b);
    while (b != 0) {
      long t = a % b;
      a = b;
      b = t;
    }
    return a;
  }

  public Affine affine() {
    long[] clean = strides.clone();
    for (int d = 0; d < dims.length; d++) {
      clean[d] = dims[d] == 1 ? 0 : strides[d];
    }
    return new Affine(offset, Longs.of(clean), motion);
  }

  public List<Operand.Bound> bounds() {
    if (!bounded()) {
      return List.of();
    }
    var bounds = new ArrayList<Operand.Bound>();
    for (int d = 0; d < dims.length; d++) {
      if (bounded(d)) {
        bounds.add(new Operand.Bound(d, low[d], high[d]));
      }
    }
    return bounds;
  }
}
