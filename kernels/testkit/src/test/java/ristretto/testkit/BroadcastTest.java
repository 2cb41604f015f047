package ristretto.testkit;

import static ristretto.expr.Ops.F32;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Square shapes, where a wrong axis has the right extent. */
class BroadcastTest {
  private static final List<long[][]> SHAPES =
      List.of(
          new long[][] {{4, 1}, {4, 4}},
          new long[][] {{1, 4}, {4, 4}},
          new long[][] {{4}, {4, 4}},
          new long[][] {{4, 4}, {3, 4, 4}},
          new long[][] {{4, 4}, {4, 4, 4}},
          new long[][] {{4, 4, 1}, {4, 4, 4}},
          new long[][] {{4, 1, 4}, {4, 4, 4}},
          new long[][] {{1, 4, 4}, {4, 4, 4}},
          new long[][] {{4, 1, 1}, {4, 4, 4}},
          new long[][] {{4, 1}, {4, 4, 4}},
          new long[][] {{4, 1}, {1, 4}},
          new long[][] {{4, 1, 4}, {1, 4, 1}},
          new long[][] {{4, 1, 4, 1}, {4, 1, 4}},
          new long[][] {{}, {4, 4}},
          new long[][] {{1, 1}, {4, 4}},
          new long[][] {{4, 0}, {1, 1}},
          new long[][] {{1, 0}, {4, 1}});

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void everyOperandLandsOnItsOwnAxis(String device) {
    try (var ctx = Context.open(device)) {
      for (long[][] pair : SHAPES) {
        Portion portion = TestDevice.portion(SHAPES.indexOf(pair));
        for (TensorLayout layout : portion.of(List.of(TensorLayout.values()), 1)) {
          check(ctx, pair[0], pair[1], layout);
          check(ctx, pair[1], pair[0], layout);
        }
      }
    }
  }

  private static void check(Context ctx, long[] left, long[] right, TensorLayout layout) {
    Nd a = layout.values(counting(left, 1));
    Nd b = TensorLayout.TRANSPOSED.values(counting(right, 100));
    Tensor<F32> x = layout.tensor(ctx, F32, a);
    Tensor<F32> y = TensorLayout.TRANSPOSED.tensor(ctx, F32, b);
    String what = Arrays.toString(left) + " " + layout + " and " + Arrays.toString(right);
    Nd sum = a.zip(b, Double::sum);
    Tolerance.EQUAL.check(F32, sum, NdTensors.read(ctx.eval(x.plus(y))), () -> what);
    Nd less = a.zip(b, (u, v) -> u < v ? u - v : v);
    Expr<F32> select = Ops.where(x.lt(y), x.minus(y), y);
    Tolerance.EQUAL.check(F32, less, NdTensors.read(ctx.eval(select)), () -> "select of " + what);
    // And into a target that an operand broadcasts to.
    Tensor<F32> target = ctx.zeros(F32, sum.shape);
    ctx.assign(target, x);
    ctx.assignAdd(target, y);
    Tolerance.EQUAL.check(F32, sum, NdTensors.read(target), () -> "assignAdd of " + what);
  }

  private static Nd counting(long[] shape, double step) {
    double[] data = new double[Nd.size(shape)];
    Arrays.setAll(data, k -> (k + 1) * step);
    return new Nd(shape, data);
  }
}
