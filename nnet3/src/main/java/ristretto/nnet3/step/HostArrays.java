package ristretto.nnet3.step;

/** Permutes and repeats host arrays. */
final class HostArrays {
  private HostArrays() {}

  static float[] repeated(float[] data, int times) {
    var all = new float[data.length * times];
    for (int k = 0; k < times; k++) {
      System.arraycopy(data, 0, all, k * data.length, data.length);
    }
    return all;
  }

  /** Permutes the dimensions of an array: new dimension k is old dimension {@code axes[k]}. */
  static float[] of(float[] data, long[] dims, int[] axes) {
    int rank = dims.length;
    var strides = new long[rank];
    long next = 1;
    for (int d = rank - 1; d >= 0; d--) {
      strides[d] = next;
      next *= dims[d];
    }
    var result = new float[data.length];
    var at = new long[rank];
    long from = 0;
    for (int k = 0; k < result.length; k++) {
      result[k] = data[(int) from];
      for (int d = rank - 1; d >= 0; d--) {
        from += strides[axes[d]];
        if (++at[d] < dims[axes[d]]) {
          break;
        }
        from -= at[d] * strides[axes[d]];
        at[d] = 0;
      }
    }
    return result;
  }
}
