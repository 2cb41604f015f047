package ristretto.kernels.cpu.operands;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Iteration space and the index maps over it, in simplest equivalent form: dimensions of extent 1
 * are removed, strides of the first map are made positive, dimensions are sorted by the strides of
 * the maps in the order of their addition, and adjacent dimensions that are contiguous in every map
 * are collapsed. The two groups of dimensions (rows, elements of rows) are never mixed.
 */
public final class IterationSpace {
  public long[] extents;

  /** Number of dimensions in the first group. */
  public int kept;

  private final List<StridedCursor> cursors = new ArrayList<>();
  private final List<Box> boxes = new ArrayList<>();

  public IterationSpace(Longs extents, int kept) {
    this.extents = extents.toArray();
    this.kept = kept;
  }

  public int rank() {
    return extents.length;
  }

  public StridedCursor cursor(Affine map) {
    StridedCursor cursor = new StridedCursor(map, rank());
    cursors.add(cursor);
    return cursor;
  }

  Box box(List<Operand.Bound> bounds) {
    Box box = bounds.isEmpty() ? null : Box.of(bounds, extents);
    if (box != null) {
      boxes.add(box);
    }
    return box;
  }

  public long product(int from, int to) {
    long p = 1;
    for (int d = from; d < to; d++) {
      p *= extents[d];
    }
    return p;
  }

  /**
   * Brings the space and its maps into simplest form.
   *
   * @param ordered true if the points of the second group keep their order
   */
  public void simplify(boolean ordered) {
    for (int d = rank() - 1; d >= 0; d--) {
      if (extents[d] == 1) {
        remove(d);
      }
    }
    if (cursors.isEmpty()) {
      return;
    }
    arrange(0, kept);
    if (!ordered) {
      arrange(kept, rank());
    }
    collapse(kept, rank());
    collapse(0, kept);
  }

  private void arrange(int from, int to) {
    for (int d = from; d < to; d++) {
      if (runsBackward(d)) {
        flip(d);
      }
    }
    for (int i = from + 1; i < to; i++) {
      for (int k = i; k > from && hasSmallerStride(k - 1, k); k--) {
        swap(k - 1, k);
      }
    }
  }

  private boolean runsBackward(int d) {
    for (StridedCursor w : cursors) {
      if (w.strides[d] != 0) {
        return w.strides[d] < 0;
      }
    }
    return false;
  }

  /**
   * Returns true if dimension a has a smaller stride than b in the first map in which both differ.
   */
  private boolean hasSmallerStride(int a, int b) {
    for (StridedCursor w : cursors) {
      long sa = Math.abs(w.strides[a]);
      long sb = Math.abs(w.strides[b]);
      if (sa != sb && sa != 0 && sb != 0) {
        return sa < sb;
      }
    }
    return false;
  }

  private void collapse(int from, int to) {
    for (int d = to - 2; d >= from; d--) {
      if (contiguous(d)) {
        long inner = extents[d + 1];
        extents[d + 1] *= extents[d];
        for (Box b : boxes) {
          b.to[d + 1] = b.to[d + 1] == inner ? extents[d + 1] : b.to[d + 1];
        }
        remove(d);
      }
    }
  }

  /**
   * Returns true if dimensions d and d + 1 can be collapsed: every map is contiguous across them
   * and no box limits either.
   */
  private boolean contiguous(int d) {
    for (StridedCursor w : cursors) {
      if (w.strides[d] != w.strides[d + 1] * extents[d + 1]) {
        return false;
      }
    }
    for (Box b : boxes) {
      if (b.limits(d, extents[d]) || b.limits(d + 1, extents[d + 1])) {
        return false;
      }
    }
    return true;
  }

  private void flip(int d) {
    long n = extents[d];
    for (StridedCursor w : cursors) {
      w.offset += w.strides[d] * (n - 1);
      w.strides[d] = -w.strides[d];
    }
    for (Box b : boxes) {
      long from = b.from[d];
      b.from[d] = n - b.to[d];
      b.to[d] = n - from;
    }
  }

  private void swap(int a, int b) {
    swap(extents, a, b);
    for (StridedCursor w : cursors) {
      swap(w.strides, a, b);
    }
    for (Box x : boxes) {
      swap(x.from, a, b);
      swap(x.to, a, b);
    }
  }

  private static void swap(long[] v, int a, int b) {
    long t = v[a];
    v[a] = v[b];
    v[b] = t;
  }

  /**
   * Removes dimension d. If d is the outer of two collapsed dimensions, the inner one has the
   * product of their extents already.
   */
  private void remove(int d) {
    extents = without(extents, d);
    for (StridedCursor w : cursors) {
      w.strides = without(w.strides, d);
    }
    for (Box b : boxes) {
      b.from = without(b.from, d);
      b.to = without(b.to, d);
    }
    if (d < kept) {
      kept--;
    }
  }

  private static long[] without(long[] v, int d) {
    long[] shorter = Arrays.copyOf(v, v.length - 1);
    System.arraycopy(v, d + 1, shorter, d, v.length - 1 - d);
    return shorter;
  }

  /**
   * Inserts a dimension of extent 1 before dimension d; it joins the first group if {@code toKept}.
   */
  public void insertOne(int d, boolean toKept) {
    extents = with(extents, d, 1);
    for (StridedCursor w : cursors) {
      w.strides = with(w.strides, d, 0);
    }
    for (Box b : boxes) {
      b.from = with(b.from, d, 0);
      b.to = with(b.to, d, 1);
    }
    if (toKept) {
      kept++;
    }
  }

  private static long[] with(long[] v, int d, long value) {
    long[] longer = new long[v.length + 1];
    System.arraycopy(v, 0, longer, 0, d);
    longer[d] = value;
    System.arraycopy(v, d, longer, d + 1, v.length - d);
    return longer;
  }

  /** Exchanges two dimensions of one group. */
  public void exchange(int a, int b) {
    swap(a, b);
  }
}
