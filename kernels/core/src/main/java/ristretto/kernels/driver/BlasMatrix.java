package ristretto.kernels.driver;

import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Matrix in memory in the terms of BLAS, perhaps one of a batch.
 *
 * @param transposed true if columns, not rows, are contiguous
 * @param lead leading dimension: elements from one row, or one column if transposed, to the next
 * @param offset element where the first matrix starts
 * @param batch stride of each batch dimension, in elements
 */
public record BlasMatrix(int buffer, boolean transposed, long lead, long offset, Longs batch) {
  /**
   * Returns the {@code rows} by {@code columns} matrix, or batch of matrices, of operand {@code m}.
   */
  public static BlasMatrix of(Operand.Memory m, long rows, long columns) {
    Longs strides = m.map().strides();
    int rank = strides.size() - 2;
    boolean transposed = transposed(m.map(), columns);
    long lead = Math.max(strides.get(transposed ? rank + 1 : rank), transposed ? rows : columns);
    long[] batch = new long[rank];
    for (int d = 0; d < rank; d++) {
      batch[d] = strides.get(d);
    }
    return new BlasMatrix(m.buffer(), transposed, lead, m.map().offset(), Longs.of(batch));
  }

  private static boolean transposed(Affine map, long columns) {
    return columns > 1 && map.strides().get(map.strides().size() - 1) != 1;
  }

  /**
   * Returns true if a BLAS library accepts the matrix: contiguous rows or columns that do not
   * overlap.
   */
  public static boolean fits(Operand.Memory m, long rows, long columns) {
    Longs strides = m.map().strides();
    int rank = strides.size();
    boolean transposed = transposed(m.map(), columns);
    long near = strides.get(transposed ? rank - 2 : rank - 1);
    long far = strides.get(transposed ? rank - 1 : rank - 2);
    long inner = transposed ? rows : columns;
    long outer = transposed ? columns : rows;
    return (near == 1 || inner == 1) && (far >= inner || outer == 1);
  }

  /** Elements between the matrices of the last batch dimension; 0 if there is no batch. */
  public long step() {
    return batch.size() == 0 ? 0 : batch.get(batch.size() - 1);
  }
}
