package ristretto.expr;

import static ristretto.expr.Ops.*;

import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;

/** Ways to grow an expression step by step, each step reading the previous one, often twice. */
enum ExpressionFamily {
  ROLLS((x, k, index) -> x.plus(roll(x, 1, 0))),
  ROLLS_OF_BOTH_AXES((x, k, index) -> x.plus(roll(x, 1, 0)).plus(roll(x, -1, 1))),
  STAR_STENCILS((x, k, index) ->
      roll(x, 1, 0)
          .plus(roll(x, -1, 0))
          .plus(roll(x, 1, 1))
          .plus(roll(x, -1, 1))
          .minus(x.times(4))),
  PADDED_SLICES((x, k, index) ->
      pad(x.slice(from(1)), 0, 1, 0, 0).plus(pad(x.slice(range(0, Growth.SIZE - 1)), 1, 0))),
  POLYNOMIAL((x, k, index) -> x.times(x).plus(0.5)),
  SOFTMAX((x, k, index) -> softmax(x, 1)),
  SOFTMAX_OF_BOTH_AXES((x, k, index) -> softmax(x, k % 2)),
  LOG_SOFTMAX((x, k, index) -> logSoftmax(x, 1).times(x)),
  CENTERED((x, k, index) -> x.minus(mean(x, 1).keepDims())),
  CENTERED_ON_ALL((x, k, index) -> x.minus(mean(x))),
  REDUCTIONS_OF_BOTH_AXES(
      (x, k, index) -> x.minus(mean(x, k % 2).keepDims()).plus(max(x, 1).keepDims())),
  PRODUCTS_OF_ROWS((x, k, index) -> x.times(prod(x, 1).keepDims()).plus(prod(x.t(), 0).keepDims())),
  STANDARD_DEVIATIONS((x, k, index) -> x.div(std(x, k % 2).keepDims())),
  LAMBDA_REDUCTIONS((x, k, index) -> x.plus(reduce(x, 0f, (u, v) -> u + v, k % 2))),
  SUMS_OF_EXPANDED((x, k, index) -> sum(x.expand(3, Growth.SIZE, Growth.SIZE).times(x.t()), 0)),
  LAYER_NORM((x, k, index) -> layerNorm(x, 1)),
  LAYER_NORM_OF_BOTH_AXES((x, k, index) -> layerNorm(x, k % 2).plus(x)),
  NESTED_WHERE((x, k, index) -> where(x.gt(0), x.plus(1), x.flip(0).times(2))),
  CONCAT_OF_SLICES((x, k, index) -> concat(0, x.slice(from(3)), x.t().slice(range(0, 3)))),
  CONCAT_TREE((x, k, index) -> concat(0, x, x.times(2)).slice(range(1, Growth.SIZE + 1))),
  CONCAT_OF_MANY((x, k, index) -> concat(0, Growth.rows(x)).plus(x)),
  STACKS((x, k, index) -> sum(stack(0, x, x.t(), x.flip(0)), 0)),
  GATHERS((x, k, index) -> take(x, index, k % 2)),
  GATHERS_WITH_SOURCE((x, k, index) -> take(x, index, k % 2).plus(x)),
  ARG_MAX((x, k, index) -> x.plus(takeAlongAxis(x, argMax(x, 1).keepDims(), 1))),
  SCATTERS((x, k, index) -> scatterAdd(Shape.of(Growth.SIZE, Growth.SIZE), 0, index, x).plus(x)),
  SORTS((x, k, index) -> sort(x, k % 2).plus(x)),
  VIEWS((x, k, index) ->
      x.t().flip(0).expand(2, Growth.SIZE, Growth.SIZE).slice(at(1)).permute(1, 0)),
  TRANSPOSES_AND_FLIPS((x, k, index) -> x.t().flip(0).plus(x.flip(1))),
  FLIPS((x, k, index) -> x.plus(x.flip(0)).times(x.flip(1))),
  STRIDED(
      (x, k, index) -> concat(1, x.slice(all(), from(0, 2)), x.slice(all(), from(1, 2))).plus(x)),
  RESHAPES((x, k, index) ->
      x.t().reshape(4, 9).flip(0).reshape(Growth.SIZE, Growth.SIZE).plus(x.flip(0))),
  PADS((x, k, index) -> pad(x, 1, 1, 1, 1).slice(range(0, Growth.SIZE), range(2, Growth.SIZE + 2))),
  CUM_SUMS((x, k, index) -> cumSum(x, k % 2)),
  CUM_SUMS_AND_TRANSPOSES((x, k, index) -> cumSum(x, k % 2).plus(x.t())),
  DOTS((x, k, index) -> dot(x, x)),
  DOTS_AND_SUMS((x, k, index) -> dot(x, x.t()).plus(x)),
  RANDOM((x, k, index) -> x.plus(uniform(F32, 7L + k, Growth.SIZE, Growth.SIZE)).times(x.flip(0))),
  BROADCASTS((x, k, index) -> x.plus(x.slice(at(0))).plus(x.slice(all(), range(1, 2)))),
  LAMBDAS((x, k, index) -> map(x, x.t(), (a, b) -> a * b + a)),
  GATED((x, k, index) -> tanh(x.plus(k)).times(sigmoid(x.t()))),
  CASTS((x, k, index) -> x.cast(F64).plus(roll(x.cast(F64), k, 1)).cast(F32));

  private final Growth growth;

  ExpressionFamily(Growth growth) {
    this.growth = growth;
  }

  Expr<F32> step(Expr<F32> x, int k, Tensor<I32> index) {
    return growth.step(x, k, index);
  }

  Expr<F32> grow(Expr<F32> x, int steps, Tensor<I32> index) {
    Expr<F32> grown = x;
    for (int k = 0; k < steps; k++) {
      grown = growth.step(grown, k, index);
    }
    return grown;
  }

  /** One more step; the result has the shape [SIZE, SIZE] of what it is given. */
  interface Growth {
    int SIZE = 6;

    /**
     * @param index a permutation of the numbers below SIZE
     */
    Expr<F32> step(Expr<F32> x, int k, Tensor<I32> index);

    @SuppressWarnings({"unchecked", "rawtypes"})
    static Expr<F32>[] rows(Expr<F32> x) {
      Expr<F32>[] rows = new Expr[SIZE];
      for (int k = 0; k < SIZE; k++) {
        int at = (k + 1) % SIZE;
        rows[k] = x.slice(range(at, at + 1));
      }
      return rows;
    }
  }
}
