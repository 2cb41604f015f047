package ristretto.expr.index;

import ristretto.kernels.ir.Longs;

/**
 * View operation: a change of index that copies no values. Applying an operation to an {@link
 * IndexMap} returns the map of the view, or null if no affine map exists (a reshape that splits or
 * merges dimensions with incompatible strides).
 */
public sealed interface ViewOp {
  IndexMap apply(IndexMap m);

  /** Extents after the operation. */
  Longs dims();

  /** Repeats extents of 1 and adds leading dimensions. */
  record Expand(Longs dims) implements ViewOp {
    @Override
    public IndexMap apply(IndexMap m) {
      int rank = dims.size();
      int lead = rank - m.dims.length;
      long[] strides = new long[rank];
      long[] low = new long[rank];
      long[] high = dims.toArray();
      for (int d = lead; d < rank; d++) {
        int s = d - lead;
        if (m.dims[s] == dims.get(d)) {
          strides[d] = m.strides[s];
          low[d] = m.low[s];
          high[d] = m.high[s];
        } else if (m.bounded(s)) {
          high[d] = 0;
        }
      }
      return m.with(dims.toArray(), strides, low, high);
    }
  }

  /** Permutation of axes: new axis d is old axis {@code axes[d]}. */
  record Permute(Longs axes, Longs dims) implements ViewOp {
    @Override
    public IndexMap apply(IndexMap m) {
      return m.with(pick(m.dims), pick(m.strides), pick(m.low), pick(m.high));
    }

    private long[] pick(long[] from) {
      long[] to = new long[axes.size()];
      for (int d = 0; d < to.length; d++) {
        to[d] = from[(int) axes.get(d)];
      }
      return to;
    }
  }

  /**
   * Strided slice: element i along d is old element {@code starts[d] + steps[d] * i}; steps may be
   * negative, not zero.
   */
  record Step(Longs starts, Longs steps, Longs dims) implements ViewOp {
    @Override
    public IndexMap apply(IndexMap m) {
      int rank = dims.size();
      long[] strides = new long[rank];
      long[] low = new long[rank];
      long[] high = new long[rank];
      long offset = 0;
      for (int d = 0; d < rank; d++) {
        long start = starts.get(d);
        long step = steps.get(d);
        offset += dims.get(d) == 0 ? 0 : start * m.strides[d];
        strides[d] = m.strides[d] * step;
        if (!m.bounded(d)) {
          high[d] = dims.get(d);
        } else if (step > 0) {
          low[d] = clip(Math.ceilDiv(m.low[d] - start, step), dims.get(d));
          high[d] = clip(Math.ceilDiv(m.high[d] - start, step), dims.get(d));
        } else {
          low[d] = clip(Math.floorDiv(start - m.high[d], -step) + 1, dims.get(d));
          high[d] = clip(Math.floorDiv(start - m.low[d], -step) + 1, dims.get(d));
        }
      }
      return m.with(dims.toArray(), strides, low, high).further(offset);
    }

    private static long clip(long v, long extent) {
      return Math.max(0, Math.min(v, extent));
    }
  }

  /** Diagonal of the last two axes, which have equal extents. */
  record Diagonal(Longs square) implements ViewOp {
    @Override
    public Longs dims() {
      return Longs.of(java.util.Arrays.copyOf(square.toArray(), square.size() - 1));
    }

    @Override
    public IndexMap apply(IndexMap m) {
      int rank = square.size() - 1;
      long[] strides = java.util.Arrays.copyOf(m.strides, rank);
      long[] low = java.util.Arrays.copyOf(m.low, rank);
      long[] high = java.util.Arrays.copyOf(m.high, rank);
      strides[rank - 1] += m.strides[rank];
      low[rank - 1] = Math.max(low[rank - 1], m.low[rank]);
      high[rank - 1] = Math.min(high[rank - 1], m.high[rank]);
      return m.with(dims().toArray(), strides, low, high);
    }
  }

  /**
   * Sliding windows along the last axes: window i along axis d begins at {@code strides[d] * i} and
   * takes every {@code dilations[d]}-th element. The axes that number the windows keep their
   * positions; the axes within a window follow.
   */
  record Windows(Longs sizes, Longs strides, Longs dilations, Longs dims) implements ViewOp {
    @Override
    public IndexMap apply(IndexMap m) {
      int rank = dims.size();
      int n = sizes.size();
      long[] steps = new long[rank];
      for (int d = 0; d < rank - n; d++) {
        int axis = d - (rank - 2 * n);
        // Bounds on the sum of two coordinates are not bounds on each coordinate.
        if (axis >= 0 && m.bounded(d)) {
          return null;
        }
        steps[d] = axis < 0 ? m.strides[d] : m.strides[d] * strides.get(axis);
        if (axis >= 0) {
          steps[d + n] = m.strides[d] * dilations.get(axis);
        }
      }
      long[] low = new long[rank];
      long[] high = dims.toArray();
      for (int d = 0; d < rank - 2 * n; d++) {
        low[d] = m.low[d];
        high[d] = m.high[d];
      }
      return m.with(dims.toArray(), steps, low, high);
    }
  }

  /**
   * Padding with {@code before[d]} elements in front, to {@code dims[d]} in all; the map is invalid
   * at the padding.
   */
  record Pad(Longs before, Longs dims) implements ViewOp {
    @Override
    public IndexMap apply(IndexMap m) {
      int rank = dims.size();
      long[] low = new long[rank];
      long[] high = new long[rank];
      long offset = 0;
      for (int d = 0; d < rank; d++) {
        offset -= before.get(d) * m.strides[d];
        low[d] = m.low[d] + before.get(d);
        high[d] = m.high[d] + before.get(d);
      }
      return m.with(dims.toArray(), m.strides.clone(), low, high).further(offset);
    }
  }

  /** Reshape: elements in row-major order with other extents. */
  record Reshape(Longs dims) implements ViewOp {
    @Override
    public IndexMap apply(IndexMap m) {
      long[] to = dims.toArray();
      long[] strides = new long[to.length];
      long[] low = new long[to.length];
      long[] high = to.clone();
      if (m.isEmpty()) {
        return m.with(to, strides, low, high);
      }
      int i = 0;
      int j = 0;
      while (i < m.dims.length || j < to.length) {
        int fromStart = i;
        int toStart = j;
        long a = i < m.dims.length ? m.dims[i++] : 1;
        long b = j < to.length ? to[j++] : 1;
        while (a != b) {
          if (a < b) {
            a *= m.dims[i++];
          } else {
            b *= to[j++];
          }
        }
        // Trailing extents of 1 belong to the last group.
        while (i < m.dims.length && m.dims[i] == 1 && j == to.length) {
          i++;
        }
        while (j < to.length && to[j] == 1 && i == m.dims.length) {
          j++;
        }
        if (!group(m, fromStart, i, to, strides, low, high, toStart, j)) {
          return null;
        }
      }
      return m.with(to, strides, low, high);
    }

    /** Maps old dims [from, fromEnd) to new dims [at, atEnd) of equal product. */
    private static boolean group(
        IndexMap m,
        int from,
        int fromEnd,
        long[] to,
        long[] strides,
        long[] low,
        long[] high,
        int at,
        int atEnd) {
      int wide = -1;
      int wides = 0;
      long step = 0;
      long extent = 1;
      boolean bounded = false;
      for (int d = fromEnd - 1; d >= from; d--) {
        if (m.dims[d] == 1) {
          if (m.bounded(d)) {
            return false;
          }
          continue;
        }
        if (wide < 0) {
          step = m.strides[d];
        } else if (m.strides[d] != step * extent) {
          return false;
        }
        bounded |= m.bounded(d);
        extent *= m.dims[d];
        wide = d;
        wides++;
      }
      int target = -1;
      long running = step;
      int targets = 0;
      for (int d = atEnd - 1; d >= at; d--) {
        strides[d] = to[d] == 1 ? 0 : running;
        running *= to[d];
        if (to[d] != 1) {
          target = d;
          targets++;
        }
      }
      if (bounded) {
        if (wides != 1 || targets != 1) {
          return false;
        }
        low[target] = m.low[wide];
        high[target] = m.high[wide];
      }
      return true;
    }
  }
}
