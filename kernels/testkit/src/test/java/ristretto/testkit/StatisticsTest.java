package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Interpolation;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;

/** Order statistics, statistics without NaN, interpolation and integrals. */
class StatisticsTest {
  private static final List<Context> ALL =
      TestDevice.contexts(TestDevice.open(), Context.open("oracle"));

  private static final double NAN = Double.NaN;

  @AfterAll
  static void close() {
    ALL.forEach(Context::close);
  }

  private static double[] values(int seed, int n, boolean nan) {
    var random = new Random(seed);
    return IntStream.range(0, n)
        .mapToDouble(_ -> nan && random.nextInt(8) == 0 ? NAN : random.nextInt(-20, 20) / 4.0)
        .toArray();
  }

  private static double quantileOf(double[] row, double q) {
    double[] sorted = row.clone();
    Arrays.sort(sorted);
    if (sorted.length == 0 || Double.isNaN(sorted[sorted.length - 1])) {
      return NAN;
    }
    double position = q * (sorted.length - 1);
    int low = (int) Math.floor(position);
    int high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (position - low) * (sorted[high] - sorted[low]);
  }

  private static double[] present(double... row) {
    return Arrays.stream(row).filter(v -> !Double.isNaN(v)).toArray();
  }

  /** Applies a function to the rows, or to the columns, of a matrix. */
  private static double[] each(
      double[] matrix, int columns, boolean byRow, ToDoubleFunction<double[]> f) {
    int rows = matrix.length / columns;
    return IntStream.range(0, byRow ? rows : columns)
        .mapToDouble(k ->
            f.applyAsDouble(
                IntStream.range(0, byRow ? columns : rows)
                    .mapToDouble(i -> matrix[byRow ? k * columns + i : i * columns + k])
                    .toArray()))
        .toArray();
  }

  private static void check(Context ctx, Expr<F64> ours, double... expected) {
    assertThat(ctx.eval(ours).toDoubleArray()).containsExactly(expected, within(1e-13));
  }

  @Test
  void quantilesAlongBothAxes() {
    for (Context ctx : ALL) {
      for (int columns : new int[] {1, 2, 7, 16, 31}) {
        for (boolean nan : new boolean[] {false, true}) {
          double[] v = values(columns, 5 * columns, nan);
          Tensor<F64> x = ctx.tensor(v, 5, columns);
          for (double q : new double[] {0, 0.1, 0.5, 0.77, 1}) {
            check(ctx, quantile(x, q, 1), each(v, columns, true, row -> quantileOf(row, q)));
            check(ctx, quantile(x, q, 0), each(v, columns, false, row -> quantileOf(row, q)));
            check(ctx, percentile(x, 100 * q), quantileOf(v, q));
            check(
                ctx,
                nanQuantile(x, q, 1),
                each(v, columns, true, row -> quantileOf(present(row), q)));
          }
          check(ctx, median(x), quantileOf(v, 0.5));
          check(ctx, nanMedian(x, 0), each(v, columns, false, r -> quantileOf(present(r), 0.5)));
        }
      }
    }
  }

  @Test
  void medianOverSeveralAxesAndViews() {
    for (Context ctx : ALL) {
      double[] v = values(1, 24, false);
      Tensor<F64> x = ctx.tensor(v, 2, 3, 4);
      Expr<F64> kept = median(x, 0, 2).keepDims();
      assertThat(kept.shape()).isEqualTo(Shape.of(1, 3, 1));
      double[] expected = new double[3];
      for (int k = 0; k < 3; k++) {
        int middle = k;
        expected[k] =
            quantileOf(
                IntStream.range(0, 24)
                    .filter(i -> i / 4 % 3 == middle)
                    .mapToDouble(i -> v[i])
                    .toArray(),
                0.5);
      }
      check(ctx, median(x, 0, 2), expected);
      check(ctx, median(x.permute(2, 1, 0).flip(0), 0, -1), expected);
    }
  }

  @Test
  void severalQuantilesAndInterpolations() {
    for (Context ctx : ALL) {
      Tensor<F64> x = ctx.tensor(new double[] {4, 1, 3, 2});
      check(ctx, quantile(x, new double[] {0, 0.5, 0.9}, 0), 1, 2.5, 3.7);
      check(ctx, quantile(x, 0.5, Interpolation.LOWER), 2);
      check(ctx, quantile(x, 0.5, Interpolation.HIGHER), 3);
      check(ctx, quantile(x, 0.5, Interpolation.NEAREST), 3);
      check(ctx, quantile(x, 0.9, Interpolation.MIDPOINT), 3.5);
      double infinity = Double.POSITIVE_INFINITY;
      check(
          ctx,
          median(ctx.tensor(new double[] {infinity, 1, infinity, 2, infinity, infinity})),
          infinity);
    }
  }

  @Test
  void statisticsWithoutNan() {
    for (Context ctx : ALL) {
      double[] v = {1, NAN, 3, -2, NAN, NAN, NAN, NAN, 4, 4, NAN, -0.5};
      Tensor<F64> x = ctx.tensor(v, 3, 4);
      check(ctx, nanSum(x, 1), 2, 0, 7.5);
      check(ctx, nanProd(x, 1), -6, 1, -8);
      check(ctx, nanMean(x, 1), 2 / 3.0, NAN, 2.5);
      check(ctx, nanMax(x, 1), 3, NAN, 4);
      check(ctx, nanMin(x, 1), -2, NAN, -0.5);
      check(ctx, nanVar(x, 1), 38 / 9.0, NAN, 4.5);
      check(ctx, nanStd(x, 1), Math.sqrt(38 / 9.0), NAN, Math.sqrt(4.5));
      check(ctx, nanMax(x), 4);
      assertThat(ctx.eval(nanArgMax(x, 1)).toLongArray()).containsExactly(2, 0, 0);
      assertThat(ctx.eval(nanArgMin(x)).toLongArray()).containsExactly(3);
      assertThat(ctx.eval(nanMax(x.slice(at(0)).cast(I32))).item()).isEqualTo(3);
      assertThat(nanMean(x, 1).keepDims().shape()).isEqualTo(Shape.of(3, 1));
    }
  }

  @Test
  void covariancesAndCorrelations() {
    for (Context ctx : ALL) {
      Tensor<F64> x = ctx.tensor(new double[] {1, 2, 4, 3, 1, 0.5}, 2, 3);
      check(ctx, cov(x), 7 / 3.0, -1.75, -1.75, 1.75);
      check(ctx, cov(x, 0), 14 / 9.0, -7 / 6.0, -7 / 6.0, 7 / 6.0);
      check(ctx, cov(x.slice(at(0))), 7 / 3.0);
      double r = -1.75 / Math.sqrt(7 / 3.0 * 1.75);
      check(ctx, corr(x), 1, r, r, 1);
      check(ctx, corr(x.slice(at(0)), x.slice(at(1))), 1, r, r, 1);
      check(ctx, average(x, ctx.tensor(new double[] {1, 0, 3}), 1), 3.25, 1.125);
      assertThat(ctx.eval(allClose(x, x.times(1 + 1e-6))).item()).isEqualTo(1);
      assertThat(ctx.eval(allClose(x, x.plus(1e-3))).item()).isEqualTo(0);
    }
  }

  @Test
  void interpolation() {
    for (Context ctx : ALL) {
      Tensor<F64> xp = ctx.tensor(new double[] {0, 1, 4});
      Tensor<F64> fp = ctx.tensor(new double[] {10, 20, 5});
      Tensor<F64> x = ctx.tensor(new double[] {-1, 0, 0.25, 1, 2.5, 4, 9, NAN});
      check(ctx, interp(x, xp, fp), 10, 10, 12.5, 20, 12.5, 5, 5, NAN);
      check(ctx, interp(x, xp, fp, -7, 7), -7, 10, 12.5, 20, 12.5, 5, 7, NAN);
      check(
          ctx,
          interp(x, xp.slice(range(0, 1)), fp.slice(range(0, 1))),
          10,
          10,
          10,
          10,
          10,
          10,
          10,
          NAN);
      Tensor<F64> many = ctx.linspace(F64, 0, 4, 101);
      check(ctx, interp(many.plus(0.01), many, many.times(3)).slice(range(0, 2)), 0.03, 0.15);
    }
  }

  @Test
  void integralsAndDifferences() {
    for (Context ctx : ALL) {
      Tensor<F64> y = ctx.tensor(new double[] {1, 3, 2, 6, 0, 5}, 2, 3);
      check(ctx, trapezoid(y, 0.5), 2.25, 2.75);
      check(ctx, trapezoid(y), 4.5, 5.5);
      check(ctx, trapezoid(y, 2, 0), 7, 3, 7);
      check(ctx, trapezoid(y, ctx.tensor(new double[] {0, 1, 3})), 7, 8);
      check(ctx, cumulativeTrapezoid(y, 1), 2, 4.5, 3, 5.5);
      check(ctx, cumulativeTrapezoid(y, ctx.tensor(new double[] {0, 1, 3})), 2, 7, 3, 8);
      check(ctx, diff(y, 2, 1), -3, 11);
      check(ctx, centralDifferences(y, 0.5, 1), 4, 1, -2, -12, -1, 10);
    }
  }

  @Test
  void gridsAndMatrices() {
    for (Context ctx : ALL) {
      Tensor<F64> x = ctx.arange(F64, 1, 3);
      Tensor<F64> y = ctx.arange(F64, 3, 6);
      check(ctx, meshgrid(x, y).get(0), 1, 2, 1, 2, 1, 2);
      check(ctx, meshgrid(x, y).get(1), 3, 3, 4, 4, 5, 5);
      assertThat(meshgrid(x, y, x).get(2).shape()).isEqualTo(Shape.of(3, 2, 2));
      check(ctx, diag(x), 1, 0, 0, 2);
      check(ctx, diag(x, -1), 0, 0, 0, 1, 0, 0, 0, 2, 0);
      check(ctx, diag(diag(x, 1), 1), 1, 2);
      check(ctx, cross(y, ctx.tensor(new double[] {1, 0, 0})), 0, 5, -4);
      Tensor<F64> m = ctx.arange(F64, 6).reshape(2, 3);
      check(ctx, rot90(m, 1), 2, 5, 1, 4, 0, 3);
      check(ctx, rot90(m, -1), 3, 0, 4, 1, 5, 2);
      check(ctx, rot90(m, 2), 5, 4, 3, 2, 1, 0);
      check(ctx, ctx.logspace(F64, 0, 3, 4), 1, 10, 100, 1000);
      check(ctx, ctx.geomspace(F64, -1, -8, 4), -1, -2, -4, -8);
      check(ctx, ctx.arange(F64, 0.5, 3), 0.5, 1.5, 2.5);
    }
  }

  /** Directional derivatives by central differences. */
  @Test
  void gradients() {
    Context ctx = ALL.getFirst();
    double[] start = new Random(1).doubles(12, 0.1, 3).toArray();
    Tensor<F64> x = ctx.tensor(start, 3, 4);
    Tensor<F64> grid = ctx.tensor(new double[] {0, 0.7, 1.3, 2.2, 4});
    Tensor<F64> w = ctx.tensor(new Random(2).doubles(12).toArray(), 3, 4);
    Tensor<ristretto.expr.type.I32> ids = ctx.tensor(new int[] {1, 0, 1});
    List<Expr<F64>> losses =
        List.of(
            sum(quantile(x, 0.3, 1).times(w.slice(all(), at(0)))),
            median(x),
            sum(nanMedian(x, 0).times(w.slice(at(0)))),
            sum(segmentMax(x, ids, 2).times(w.slice(range(0, 2)))),
            sum(segmentMin(x, ids, 2).times(w.slice(range(0, 2)))),
            sum(segmentMean(x, ids, 2).times(w.slice(range(0, 2)))),
            sum(interp(x, grid, sin(grid)).times(w)),
            sum(interp(grid, cumSum(x.slice(at(0)), 0), x.slice(at(1)))),
            sum(trapezoid(x, 0.5).times(w.slice(all(), at(1)))),
            sum(cumulativeTrapezoid(x, 0.5).times(w.slice(all(), range(0, 3)))),
            sum(corr(x).times(dot(w, w.t()))),
            sum(nanVar(x, 1)),
            sum(cumulative(x, 1.0, (u, v) -> u * v, 1).times(w)));
    double[] way = new Random(3).doubles(12, -1, 1).toArray();
    Tensor<F64> direction = ctx.tensor(way, 3, 4);
    for (int k = 0; k < losses.size(); k++) {
      Expr<F64> loss = losses.get(k);
      double slope = ctx.eval(sum(gradient(loss, x).times(direction))).item();
      ctx.assign(x, ctx.tensor(start, 3, 4).plus(direction.times(1e-6)));
      double above = ctx.eval(loss).item();
      ctx.assign(x, ctx.tensor(start, 3, 4).minus(direction.times(1e-6)));
      double below = ctx.eval(loss).item();
      ctx.assign(x, ctx.tensor(start, 3, 4));
      assertThat(slope)
          .as("gradient of loss %s", k)
          .isCloseTo((above - below) / 2e-6, within(1e-6 * Math.abs(slope) + 1e-7));
    }
  }

  @Test
  void assignmentsAndExtremesHaveGradients() {
    Context ctx = ALL.getFirst();
    Tensor<F32> v = ctx.tensor(new float[] {1, 5, 5, 2});
    Tensor<ristretto.expr.type.I32> at = ctx.tensor(new int[] {0, 1, 1, 0});
    Expr<F32> max = scatterMax(Shape.of(3), 0, at, v).slice(range(0, 2));
    assertThat(ctx.eval(gradient(sum(max), v)).toFloatArray()).containsExactly(0, 0.5f, 0.5f, 1);
  }
}
