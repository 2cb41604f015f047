package ristretto.kernels.cpu.gemm;

import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/** Operand of a batched product: one matrix per batch number. Strides are in elements. */
final class Matrix {
  final long rows;
  final long cols;
  final long rowStride;
  final long colStride;
  private final int buffer;
  private final int size;
  private final long offset;
  private final long[] batchStrides;

  Matrix(Operand.Memory operand, long rows, long cols) {
    this.rows = rows;
    this.cols = cols;
    Longs strides = operand.map().strides();
    int rank = strides.size();
    // The stride of a single row or column is arbitrary, so one that OpenBLAS accepts is used.
    long row = strides.get(rank - 2);
    long col = strides.get(rank - 1);
    colStride = cols == 1 ? 1 : col;
    rowStride = rows == 1 ? (colStride == 1 ? cols : 1) : row;
    buffer = operand.buffer();
    size = operand.storage().bytes();
    offset = operand.map().offset();
    batchStrides = java.util.Arrays.copyOf(strides.toArray(), rank - 2);
  }

  /**
   * Returns the address of matrix {@code number} of the batch, row-major over the batch extents.
   */
  long address(Job job, long number, long[] batch) {
    long element = offset;
    for (int d = batch.length - 1; d >= 0; d--) {
      element += number % batch[d] * batchStrides[d];
      number /= batch[d];
    }
    return job.buffers[buffer] + element * size;
  }

  /** Returns true if all products of the batch use one matrix. */
  boolean isSame() {
    for (long stride : batchStrides) {
      if (stride != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns true if OpenBLAS accepts the matrix without a copy, plain or transposed. */
  boolean blas() {
    return plainRows()
        || rowStride == 1 && colStride >= Math.max(1, rows) && colStride <= Integer.MAX_VALUE;
  }

  boolean plainRows() {
    return colStride == 1 && rowStride >= Math.max(1, cols) && rowStride <= Integer.MAX_VALUE;
  }
}
