package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.step.ColumnProducts;
import ristretto.nnet3.step.ForwardStep;

/** Rows x[n, dim] to be preconditioned by a natural gradient. */
sealed interface PreconditionedRows {
  int count();

  int dim();

  /** Assigns {@code x w'} to h[n, rank]. */
  void project(Context context, Tensor<F32> w, Tensor<F32> h);

  /** Assigns {@code h' x} to j[rank, dim]. */
  void gather(Context context, Tensor<F32> h, Tensor<F32> j);

  /** Returns the sum of squares of all elements. */
  Expr<F32> sumOfSquares();

  /**
   * Rows in one matrix.
   *
   * @param squares column sums of squares; null if unknown
   */
  record Whole(Tensor<F32> x, Tensor<F32> squares) implements PreconditionedRows {
    Whole(Tensor<F32> x) {
      this(x, null);
    }

    @Override
    public int count() {
      return Math.toIntExact(x.shape().dim(0));
    }

    @Override
    public int dim() {
      return Math.toIntExact(x.shape().dim(1));
    }

    @Override
    public void project(Context context, Tensor<F32> w, Tensor<F32> h) {
      context.assign(h, dot(x, w.t()));
    }

    @Override
    public void gather(Context context, Tensor<F32> h, Tensor<F32> j) {
      context.assign(j, dot(h.t(), x));
    }

    @Override
    public Expr<F32> sumOfSquares() {
      return squares == null ? sum(square(x)) : sum(squares);
    }
  }

  /**
   * Rows as concatenated columns, optionally with a last column of ones, without copying them.
   *
   * @param columns with {@code count} rows each
   * @param count number of rows
   */
  record SideBySide(List<ForwardStep.Columns> columns, boolean withOnes, int count)
      implements PreconditionedRows {
    public SideBySide {
      columns = List.copyOf(columns);
    }

    /** Returns the number of columns without the column of ones. */
    int width() {
      return columns.stream().mapToInt(ForwardStep.Columns::dim).sum();
    }

    @Override
    public int dim() {
      return width() + (withOnes ? 1 : 0);
    }

    @Override
    public void project(Context context, Tensor<F32> w, Tensor<F32> h) {
      new ColumnProducts(context, w.slice(all(), range(0, width()))).assign(h, columns);
      if (withOnes) {
        context.assignAdd(h, w.slice(all(), at(width())));
      }
    }

    @Override
    public void gather(Context context, Tensor<F32> h, Tensor<F32> j) {
      new ColumnProducts(context, j.slice(all(), range(0, width()))).gradient(h, columns, false);
      if (withOnes) {
        context.assign(j.slice(all(), at(width())), sum(h, 0));
      }
    }

    @Override
    public Expr<F32> sumOfSquares() {
      Map<Integer, Expr<F32>> byDim = new LinkedHashMap<>();
      for (ForwardStep.Columns part : columns) {
        if (part.value() != null) {
          byDim.merge(part.dim(), square(part.scaled()), Expr::plus);
        }
      }
      List<Expr<F32>> sums = new ArrayList<>();
      byDim.values().forEach(squares -> sums.add(sum(squares)));
      if (withOnes) {
        sums.add(fill(F32, count));
      }
      return sums.stream().reduce(Expr::plus).orElseGet(() -> fill(F32, 0));
    }
  }
}
