package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;

/** Checks that scatter-adds are as accurate as sums over axes, with sums of doubles as oracles. */
final class ScatterChecks {
  private ScatterChecks() {}

  /**
   * Shape of the values, and the axis that they are scattered along.
   *
   * @param places extent of the result along the axis
   * @param axis axis of the values that the indices address
   */
  private record Case(int places, int axis, int... shape) {}

  private static final List<Case> CASES =
      List.of(
          new Case(1, 0, 100_003),
          new Case(7, 0, 30_011),
          new Case(50_021, 0, 3_001),
          new Case(3, 0, 4_001, 5),
          new Case(70_001, 0, 997, 3),
          new Case(2, 0, 3_001, 24),
          new Case(401, 0, 2_003, 65),
          new Case(3, 0, 1_009, 1_301),
          new Case(3, 1, 5, 601, 40),
          new Case(4, 1, 7, 301, 6),
          new Case(11, 2, 3, 5, 997),
          new Case(3, 0, 601, 5, 33));

  static List<Check> checks() {
    var checks = new ArrayList<Check>();
    for (Case c : CASES) {
      String what = c.places + " places along axis " + c.axis + " of " + Arrays.toString(c.shape);
      checks.add(Check.of("sums at " + what, ctx -> taken(ctx, c)));
      checks.add(Check.of("sums at own indices at " + what, ctx -> along(ctx, c)));
    }
    checks.add(Check.of("sums at one index that is expanded", ScatterChecks::expanded));
    checks.add(Check.of("sums of narrow floats at indices", ScatterChecks::narrow));
    checks.add(Check.of("slopes of elements that are taken often", ScatterChecks::slopes));
    return checks;
  }

  private static Tensor<F32> values(Context ctx, Case c) {
    Expr<F32> x = uniform(F32, 1, dims(c)).plus(1000);
    return ctx.eval(x.times(uniform(F32, 2, dims(c)).minus(0.1)));
  }

  private static long[] dims(Case c) {
    return Arrays.stream(c.shape).asLongStream().toArray();
  }

  /** Indices of which about half are 0 and some count from the end. */
  private static int[] indices(int n, int places) {
    var random = new Random(3);
    return random.ints(n, -places, places).map(k -> random.nextInt(2) == 0 ? k : 0).toArray();
  }

  private static void taken(Context ctx, Case c) {
    Tensor<F32> x = values(ctx, c);
    int[] index = indices(c.shape[c.axis], c.places);
    long[] dims = dims(c);
    dims[c.axis] = c.places;
    Expr<F32> sums = scatterAdd(Shape.of(dims), c.axis, ctx.tensor(index), x);
    compare(c, NdTensors.read(x), ctx.eval(sums), at -> index[(int) at[c.axis]]);
    Tensor<F32> strided = ctx.zeros(F32, Shape.of(dims)).flip(0);
    ctx.assign(strided, sums);
    compare(c, NdTensors.read(x), strided, at -> index[(int) at[c.axis]]);
  }

  private static void along(Context ctx, Case c) {
    Tensor<F32> x = values(ctx, c);
    int[] index = indices((int) x.shape().size(), c.places);
    Tensor<I32> indices = ctx.tensor(index).reshape(dims(c));
    long[] dims = dims(c);
    dims[c.axis] = c.places;
    Tensor<F32> from = ctx.zeros(F32, Shape.of(dims));
    Expr<F32> slopes = gradient(sum(takeAlongAxis(from, indices, c.axis).times(x)), from);
    Nd where = NdTensors.read(indices);
    compare(c, NdTensors.read(x), ctx.eval(slopes), at -> (int) where.at(at));
  }

  private interface Place {
    int of(long... at);
  }

  private static void compare(Case c, Nd x, Tensor<F32> result, Place place) {
    Nd got = NdTensors.read(result);
    Nd sums = new Nd(got.shape, new double[got.data.length]);
    Nd magnitudes = new Nd(got.shape, new double[got.data.length]);
    for (int k = 0; k < x.data.length; k++) {
      long[] at = Nd.index(x.shape, k);
      long[] to = at.clone();
      int p = place.of(at);
      to[c.axis] = p < 0 ? p + c.places : p;
      sums.set(sums.at(to) + x.data[k], to);
      magnitudes.set(magnitudes.at(to) + Math.abs(x.data[k]), to);
    }
    for (int k = 0; k < got.data.length; k++) {
      near("sum " + k, got.data[k], sums.data[k], SumChecks.SUM * magnitudes.data[k]);
    }
  }

  /** Checks that all elements are added to one position. */
  private static void expanded(Context ctx) {
    int n = 300_007;
    Tensor<F32> x = ctx.eval(uniform(F32, 1, n).plus(1000));
    double sum = Arrays.stream(NdTensors.read(x).data).sum();
    Expr<I32> index = ctx.full(I32, 2, 1).expand(n);
    double[] got = NdTensors.read(ctx.eval(scatterAdd(Shape.of(4), 0, index, x))).data;
    near("the place of all", got[2], sum, SumChecks.SUM * sum);
    Check.require(got[0] == 0 && got[1] == 0 && got[3] == 0, "other places", got[1], "0");
  }

  private static void narrow(Context ctx) {
    narrow(ctx, F16, 0x1p-11);
    narrow(ctx, BF16, 0x1p-8);
  }

  private static <T> void narrow(Context ctx, DType<T> dtype, double rounding) {
    int n = 3_001;
    int[] index = indices(n, 3);
    for (int columns : new int[] {1, 5, 40}) {
      Tensor<T> x = ctx.eval(uniform(F32, 1, n, columns).plus(1).cast(dtype));
      Nd v = NdTensors.read(ctx.eval(x.cast(F32)));
      Expr<T> sums = scatterAdd(Shape.of(3, columns), 0, ctx.tensor(index), x);
      Nd got = NdTensors.read(ctx.eval(sums.cast(F32)));
      Nd expected = new Nd(got.shape, new double[got.data.length]);
      for (int k = 0; k < v.data.length; k++) {
        int p = Math.floorMod(index[k / columns], 3);
        expected.data[p * columns + k % columns] += v.data[k];
      }
      for (int k = 0; k < got.data.length; k++) {
        double slack = (rounding + SumChecks.SUM) * expected.data[k];
        near("sum " + k + " of " + dtype, got.data[k], expected.data[k], slack);
      }
    }
  }

  /** Checks the gradient of an embedding, whose scattered values are computed in the kernel. */
  private static void slopes(Context ctx) {
    int n = 20_011;
    int[] index = indices(n, 5);
    Tensor<F32> table = ctx.zeros(F32, 5, 48);
    Tensor<F32> w = ctx.eval(uniform(F32, 1, n, 48).plus(10));
    Expr<F32> loss = sum(square(take(table, ctx.tensor(index), 0).plus(w)));
    Nd v = NdTensors.read(w);
    Nd got = NdTensors.read(ctx.eval(gradient(loss, table)));
    Nd expected = new Nd(got.shape, new double[got.data.length]);
    for (int k = 0; k < v.data.length; k++) {
      expected.data[Math.floorMod(index[k / 48], 5) * 48 + k % 48] += 2 * v.data[k];
    }
    for (int k = 0; k < got.data.length; k++) {
      near("slope " + k, got.data[k], expected.data[k], SumChecks.SUM * expected.data[k]);
    }
  }

  private static void near(String what, double got, double expected, double slack) {
    Check.require(Math.abs(got - expected) <= slack, what, got, expected + " within " + slack);
  }
}
