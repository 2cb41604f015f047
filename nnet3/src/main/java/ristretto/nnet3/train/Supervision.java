package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.where;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.file.Excerpt;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/**
 * Targets of one output in device memory. Sparse targets stay sparse: a fixed number of columns per
 * row with their weights, expanded by the readers.
 */
final class Supervision {
  private final int rows;
  private final int cols;

  /** Maximum number of entries per row; 0 for dense matrices. */
  private final int entries;

  private final Tensor<F32> values;
  private final Tensor<I32> columns;
  private final Tensor<I32> classes;

  /** Allocates memory for targets of this kind. */
  Supervision(Context context, GeneralMatrix targets) {
    rows = targets.rows();
    cols = targets.cols();
    entries = entries(targets);
    values = context.zeros(F32, rows, entries > 0 ? entries : cols);
    columns = entries > 0 ? context.zeros(I32, rows, entries) : null;
    classes = entries > 0 ? context.arange(I32, cols) : null;
  }

  /**
   * Returns the number of entries per row to allocate, a power of two; 0 if a dense matrix is
   * better.
   */
  static int entries(GeneralMatrix targets) {
    if (!(targets instanceof SparseMatrix sparse)) {
      return 0;
    }
    int most = 1;
    for (SparseVector row : sparse.vectors()) {
      most = Math.max(most, row.indices().length);
    }
    int room = Integer.highestOneBit(2 * most - 1);
    return 2 * room < targets.cols() ? room : 0;
  }

  /**
   * Uploads other targets of the same kind.
   *
   * @param wanted number of columns of the output
   */
  void set(NnetIo io, int wanted) {
    GeneralMatrix targets = io.features();
    if (targets.cols() != wanted) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[objective] targets must have as many columns as the output; got %d for %d of"
                  + " \"%s\"; make examples for this network.",
              targets.cols(),
              wanted,
              Excerpt.of(io.name())));
    }
    if (entries == 0) {
      values.context().copy(MemorySegment.ofArray(targets.toMatrix().data()), values);
      return;
    }
    var weights = new float[rows * entries];
    var places = new int[rows * entries];
    int at = 0;
    for (SparseVector row : ((SparseMatrix) targets).vectors()) {
      System.arraycopy(row.values(), 0, weights, at, row.values().length);
      System.arraycopy(row.indices(), 0, places, at, row.indices().length);
      at += entries;
    }
    values.context().copy(MemorySegment.ofArray(weights), values);
    values.context().copy(MemorySegment.ofArray(places), columns);
  }

  /** Returns the targets, {@code [rows, cols]}. */
  Expr<F32> targets() {
    if (entries == 0) {
      return values;
    }
    Expr<I32> numbers = classes.reshape(1, cols);
    Expr<F32> sum = null;
    for (int k = 0; k < entries; k++) {
      Expr<F32> value = values.slice(all(), at(k)).reshape(rows, 1);
      Expr<I32> column = columns.slice(all(), at(k)).reshape(rows, 1);
      Expr<F32> part = where(numbers.eq(column), value, scalar(F32, 0));
      sum = sum == null ? part : sum.plus(part);
    }
    return sum;
  }
}
