package ristretto.kernels.cpu;

import ristretto.kernels.ir.Affine;

/**
 * Affine map over the dimensions of a {@link Geometry}, which rewrites the map as it changes the
 * dimensions.
 */
final class Walk {
  long offset;
  long[] strides;

  Walk(Affine map, int rank) {
    offset = map.offset();
    strides = new long[rank];
    for (int d = 0; d < rank; d++) {
      strides[d] = map.strides().get(d);
    }
  }

  Walk(long offset, long[] strides) {
    this.offset = offset;
    this.strides = strides;
  }

  /** Evaluates the map at an index. */
  long at(long[] index) {
    long v = offset;
    for (int d = 0; d < strides.length; d++) {
      v += strides[d] * index[d];
    }
    return v;
  }

  boolean constant() {
    for (long s : strides) {
      if (s != 0) {
        return false;
      }
    }
    return true;
  }

  long smallest(long[] extents) {
    long v = offset;
    for (int d = 0; d < strides.length; d++) {
      v += Math.min(0, strides[d] * (extents[d] - 1));
    }
    return v;
  }

  long largest(long[] extents) {
    long v = offset;
    for (int d = 0; d < strides.length; d++) {
      v += Math.max(0, strides[d] * (extents[d] - 1));
    }
    return v;
  }
}
