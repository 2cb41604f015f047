package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Slice;

/** Steps, diagonals and shifts near the ends of 64 bits. */
class ExtremeNumbersTest {
  private final Context ctx = TestDevice.open();
  private final Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);

  @AfterEach
  void close() {
    ctx.close();
  }

  private double[] values(Expr<F32> a) {
    return ctx.eval(a.cast(F64)).toDoubleArray();
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -Long.MAX_VALUE, -4, 4, Long.MAX_VALUE})
  void aLargeStepTakesTheFirstPositionOnly(long step) {
    assertThat(values(x.slice(all(), from(1, step)))).containsExactly(2, 5);
    assertThat(values(x.slice(all(), new Slice(null, null, step, false))))
        .containsExactly(step < 0 ? 3 : 1, step < 0 ? 6 : 4);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -Long.MAX_VALUE, -3, 3, Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void diagonalsOutsideOfAMatrixAreEmpty(long k) {
    double[] all = values(x);
    double[] none = new double[6];
    assertThat(values(tril(x, k))).isEqualTo(k > 0 ? all : none);
    assertThat(values(triu(x, k))).isEqualTo(k > 0 ? none : all);
    assertThat(ctx.eval(diagonal(x, k)).shape().size()).isZero();
  }

  @Test
  void aStepBeyondTheDtypeLeavesTheStart() {
    assertThat(values(ctx.arange(F32, 2, 3, 1e300))).containsExactly(2);
  }
}
