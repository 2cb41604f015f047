package ristretto.nnet3.matrix;

import java.util.Locale;
import ristretto.kernels.ShapeException;

/** A sparse vector: stored elements in ascending order of their indices. */
public final class SparseVector {
  private final int dim;
  private final int[] indices;
  private final float[] values;

  /**
   * Wraps the arrays without copying them; indices ascend, and are at least 0 and below {@code
   * dim}.
   */
  public SparseVector(int dim, int[] indices, float[] values) {
    if (indices.length != values.length) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[sparse] there must be a value for each index; got %d indices and %d values; give"
                  + " equal numbers.",
              indices.length,
              values.length));
    }
    int last = -1;
    for (int index : indices) {
      if (index <= last || index >= dim) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[sparse] indices must ascend from 0 and stay below the dimension; got %d after %d,"
                    + " of dimension %d; sort and merge them.",
                index,
                last,
                dim));
      }
      last = index;
    }
    this.dim = dim;
    this.indices = indices;
    this.values = values;
  }

  /** Dimension: number of elements, stored or not. */
  public int dim() {
    return dim;
  }

  /** Indices of the stored elements, not a copy. */
  public int[] indices() {
    return indices;
  }

  /** Stored elements, not a copy. */
  public float[] values() {
    return values;
  }

  SparseVector scaled(float factor) {
    float[] to = values.clone();
    for (int k = 0; k < to.length; k++) {
      to[k] *= factor;
    }
    return new SparseVector(dim, indices, to);
  }

  @Override
  public String toString() {
    return "SparseVector[" + indices.length + " of " + dim + "]";
  }
}
