package ristretto.nnet3.component.convolution;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.range;

import java.util.Arrays;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.RowMap;

/**
 * Input rows that the output of a convolution reads at one time offset, in memory.
 *
 * @param from first output position with an input row
 * @param to end of these positions, exclusive
 * @param rows one row for each sequence of each position
 */
record ConvolutionOperand(int from, int to, Tensor<F32> rows) {
  /**
   * Returns the rows of x at the given positions: a view if they are contiguous in x, or at a
   * constant stride with one sequence; else a copy; null if no row exists.
   */
  static ConvolutionOperand of(ForwardStep f, Tensor<F32> x, int[] places) {
    return switch (RowMap.of(places, (int) x.shape().dim(0))) {
      case RowMap.Identity(int size) -> new ConvolutionOperand(0, size, flat(x));
      case RowMap.Steps(int start, int step, int count, int before, int _) -> {
        boolean inPlace = step == 1 || step > 0 && f.sequences() == 1;
        long end = start + (count - 1L) * step + 1;
        Tensor<F32> rows =
            inPlace
                ? x.slice(range(start, end, step))
                : f.context().eval(f.rows(x, Arrays.copyOfRange(places, before, before + count)));
        yield new ConvolutionOperand(before, before + count, flat(rows));
      }
      case RowMap.Places _ ->
          new ConvolutionOperand(0, places.length, flat(f.context().eval(f.rows(x, places))));
      case RowMap.Nothing _ -> null;
    };
  }

  private static Tensor<F32> flat(Tensor<F32> x) {
    return x.reshape(x.shape().dim(0) * x.shape().dim(1), x.shape().dim(2));
  }

  /** Returns the operand for a range of the positions. */
  ConvolutionOperand part(int first, int end) {
    if (first == from && end == to) {
      return this;
    }
    long n = rows.shape().dim(0) / (to - from);
    return new ConvolutionOperand(
        first, end, rows.slice(range((first - from) * n, (end - from) * n)));
  }

  /** Returns the input columns that each height of a group reads: {@code [height, row, column]}. */
  Expr<F32> windows(ConvolutionModel model, HeightGroup g) {
    int step = model.heightSubsampleOut() * model.filtersIn();
    long end = g.column() + (g.count() - 1L) * step + g.width();
    return Ops.windows(
            rows.slice(all(), range(g.column(), end)),
            new long[] {g.width()},
            new long[] {step},
            new long[] {1})
        .permute(1, 0, 2);
  }

  /** Returns the input columns that the first height of a group reads: {@code [row, column]}. */
  Tensor<F32> window(HeightGroup g) {
    return rows.slice(all(), range(g.column(), (long) g.column() + g.width()));
  }
}
