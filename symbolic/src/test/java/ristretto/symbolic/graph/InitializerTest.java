package ristretto.symbolic.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.symbolic.Executor;

class InitializerTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static Tensor<F32> values(Initializer initializer, long seed, long... dims) {
    return CTX.eval(initializer.values(Shape.of(dims), seed));
  }

  static Stream<long[]> shapes() {
    return Stream.of(
        new long[] {7, 7},
        new long[] {31, 5},
        new long[] {5, 31},
        new long[] {6, 3, 2, 2},
        new long[] {1, 1},
        new long[] {9});
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void rowsOrColumnsAreOrthogonal(long... dims) {
    Expr<F32> m = values(Initializer.orthogonal(2), 3, dims).reshape(dims[0], -1);
    Expr<F32> few = m.shape().dim(0) <= m.shape().dim(1) ? m : m.t();
    long n = few.shape().dim(0);
    Expr<F32> products = Ops.dot(few, few.t()).div(4);
    Expr<F32> unit =
        Ops.coordinate(Shape.of(n, n), 0).eq(Ops.coordinate(Shape.of(n, n), 1)).cast(F32);
    assertThat(CTX.eval(Ops.max(Ops.abs(products.minus(unit)))).item()).isLessThan(1e-6);
  }

  @Test
  void orthogonalFollowsFromTheSeedAndMayBeEmpty() {
    float[] first = values(Initializer.orthogonal(1), 3, 4, 6).toFloatArray();
    assertThat(values(Initializer.orthogonal(1), 3, 4, 6).toFloatArray()).isEqualTo(first);
    assertThat(values(Initializer.orthogonal(1), 4, 4, 6).toFloatArray()).isNotEqualTo(first);
    assertThat(values(Initializer.orthogonal(1), 3, 4, 0).toFloatArray()).isEmpty();
  }

  @Test
  void everyVariableHasNumbersOfItsOwn() {
    Variable<F32> a = Variable.parameter("a", F32, Initializer.orthogonal(1), 4, 4);
    Variable<F32> b = Variable.parameter("b", F32, Initializer.orthogonal(1), 4, 4);
    var executor = new Executor(CTX, a.plus(b));
    assertThat(executor.tensor(a).toFloatArray()).isNotEqualTo(executor.tensor(b).toFloatArray());
  }

  static Stream<Object[]> variances() {
    return Stream.of(
        new Object[] {Initializer.xavier(), new long[] {200, 300}, 2.0 / 500},
        new Object[] {Initializer.xavierNormal(), new long[] {200, 300}, 2.0 / 500},
        new Object[] {Initializer.he(), new long[] {200, 300}, 2.0 / 200},
        new Object[] {Initializer.heUniform(), new long[] {200, 300}, 2.0 / 200},
        new Object[] {Initializer.he(), new long[] {40, 30, 5, 5}, 2.0 / 750},
        new Object[] {Initializer.xavier(), new long[] {40, 30, 5, 5}, 2.0 / 1750},
        new Object[] {Initializer.kaimingNormal(), new long[] {200, 300}, 2.0 / 200},
        new Object[] {Initializer.kaimingUniform(), new long[] {200, 300}, 2.0 / 200},
        new Object[] {Initializer.kaimingUniform(Math.sqrt(5)), new long[] {200, 300}, 1.0 / 600},
        new Object[] {Initializer.xavierUniform(), new long[] {200, 300}, 2.0 / 500},
        new Object[] {Initializer.truncatedNormal(0.5), new long[] {50_000}, 0.25 * 0.7737},
        new Object[] {Initializer.normal(0.5), new long[] {50_000}, 0.25},
        new Object[] {Initializer.uniform(-1, 2), new long[] {50_000}, 9.0 / 12});
  }

  @ParameterizedTest
  @MethodSource("variances")
  void variancesFollowFromFans(Initializer initializer, long[] shape, double expected) {
    double variance = CTX.eval(Ops.var(values(initializer, 1, shape))).item();
    assertThat(variance).isCloseTo(expected, within(expected * 0.05));
  }

  @Test
  void truncatedNormalIsWithinTwoDeviations() {
    float[] all = values(Initializer.truncatedNormal(0.5), 3, 100_003).toFloatArray();
    float largest = 0;
    double sum = 0;
    int within = 0;
    for (float v : all) {
      largest = Math.max(largest, Math.abs(v));
      sum += v;
      within += Math.abs(v) < 0.5 ? 1 : 0;
    }
    assertThat(largest).isLessThan(1).isGreaterThan(0.99f);
    assertThat(sum / all.length).isCloseTo(0, within(0.006));
    // The share within one deviation, given that it is within two.
    assertThat((double) within / all.length).isCloseTo(0.6827 / 0.9545, within(0.006));
  }
}
