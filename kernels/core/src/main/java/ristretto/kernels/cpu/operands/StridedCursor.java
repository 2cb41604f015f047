package ristretto.kernels.cpu.operands;

import ristretto.kernels.ir.Affine;

/**
 * Affine map over the dimensions of a {@link IterationSpace}, which rewrites the map as it changes
 * the dimensions.
 */
public final class StridedCursor {
  long offset;
  public long[] strides;

  StridedCursor(Affine map, int rank) {
    offset = map.offset();
    strides = new long[rank];
    for (int d = 0; d < rank; d++) {
      strides[d] = map.strides().get(d);
    }
  }

  public StridedCursor(long offset, long[] strides) {
    this.offset = offset;
    this.strides = strides;
  }

  /** Evaluates the map at an index. */
  public long at(long[] index) {
    long v = offset;
    for (int d = 0; d < strides.length; d++) {
      v += strides[d] * index[d];
    }
    return v;
  }

  public long smallest(long[] extents) {
    long v = offset;
    for (int d = 0; d < strides.length; d++) {
      v += Math.min(0, strides[d] * (extents[d] - 1));
    }
    return v;
  }

  public long largest(long[] extents) {
    long v = offset;
    for (int d = 0; d < strides.length; d++) {
      v += Math.max(0, strides[d] * (extents[d] - 1));
    }
    return v;
  }
}
