package ristretto.kernels.ir;

/**
 * Affine index map {@code offset + sum of strides[d] * i[d]} over the iteration indices i.
 *
 * @param offset in elements
 * @param strides in elements, one per dimension of the iteration space; zero broadcasts, a negative
 *     stride runs backwards
 * @param motion elements by which the offset advances per iteration of the loop that runs the
 *     kernel; 0 in kernels that devices get, each of which belongs to one iteration
 */
public record Affine(long offset, Longs strides, long motion) {
  /** Map of a kernel outside of loops. */
  public Affine(long offset, Longs strides) {
    this(offset, strides, 0);
  }

  /** Returns the map in iteration {@code iteration}. */
  public Affine at(long iteration) {
    return motion == 0 ? this : new Affine(offset + iteration * motion, strides);
  }
}
