package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Gathers and scatters by index tensors of either dtype and any layout. */
class IndexTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<ShapedCase> cases() {
    return IndexCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(ShapedCase op) {
    op.check(DEVICE, TestDevice.portion(IndexCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(ShapedCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }

  @Test
  void coordinates() {
    long[] shape = {3, 17, 2};
    for (int axis = -3; axis < 3; axis++) {
      int d = Math.floorMod(axis, 3);
      Tolerance.BITS.check(
          I64,
          Nd.build(shape, i -> i[d]),
          NdTensors.read(DEVICE.eval(coordinate(Shape.of(shape), axis))),
          () -> "coordinate " + d);
    }
    assertThat(DEVICE.eval(coordinate(Shape.of(0, 2), 1)).shape()).isEqualTo(Shape.of(0, 2));
  }

  /** Many additions to few elements, in an order that does not depend on threads. */
  @Test
  void manyAdditionsToOneElement() {
    int n = 100_003;
    Expr<I64> bins = coordinate(Shape.of(n), 0).rem(7);
    Tensor<I64> counts = DEVICE.eval(scatterAdd(Shape.of(7), 0, bins, fill(I64, 1, n)));
    long[] expected = new long[7];
    for (int k = 0; k < n; k++) {
      expected[k % 7]++;
    }
    assertThat(counts.toLongArray()).isEqualTo(expected);
  }

  /**
   * Sums of gathered lines: by both dtypes, negative indices, indices of any stride, at any offset.
   */
  @ParameterizedTest
  @CsvSource({"1,64", "3,65", "7,127", "1000,64", "5000,128"})
  void linesOfOtherTensors(int rows, int cols) {
    int height = 37;
    var random = new Random(rows + cols);
    var a = new float[height * cols];
    var b = new float[(height + 2) * cols];
    var w = new float[rows];
    draw(random, a);
    draw(random, b);
    draw(random, w);
    var first = new int[2 * rows];
    var second = new long[rows];
    for (int r = 0; r < 2 * rows; r++) {
      first[r] = random.nextInt(2 * height) - height;
    }
    for (int r = 0; r < rows; r++) {
      second[r] = random.nextInt(2 * height) - height;
    }
    first[0] = -height;
    second[rows - 1] = height - 1;
    Tensor<F32> x = DEVICE.tensor(a, height, cols);
    Tensor<F32> y = DEVICE.tensor(b, height + 2, cols).slice(range(1, height + 1));
    Tensor<I32> i = DEVICE.tensor(first).slice(from(0, 2));
    Tensor<I64> k = DEVICE.tensor(second);
    Expr<F32> sum =
        take(x, i, 0)
            .times(DEVICE.tensor(w, rows, 1))
            .plus(take(y, k.flip(0), 0).times(2.5))
            .minus(take(x, k, 0));
    float[] got = DEVICE.eval(sum).toFloatArray();
    for (int r = 0; r < rows; r++) {
      int one = Math.floorMod(first[2 * r], height);
      int two = (int) Math.floorMod(second[rows - 1 - r], (long) height);
      int three = (int) Math.floorMod(second[r], (long) height);
      for (int c = 0; c < cols; c++) {
        double wanted =
            (double) a[one * cols + c] * w[r] + 2.5 * b[(two + 1) * cols + c] - a[three * cols + c];
        assertThat(got[r * cols + c]).isCloseTo((float) wanted, within(1e-5f));
      }
    }
  }

  private static void draw(Random random, float[] values) {
    for (int k = 0; k < values.length; k++) {
      values[k] = random.nextFloat() - 0.5f;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-38, 37, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void linesOutOfRange(int index) {
    var places = new int[100];
    places[70] = index;
    Tensor<F32> x = DEVICE.zeros(F32, 37, 64);
    Tensor<I32> i = DEVICE.tensor(places);
    assertThatThrownBy(() -> DEVICE.eval(take(x, i, 0).plus(take(x, i, 0).times(2))))
        .isInstanceOf(ShapeException.class)
        .hasMessageContaining("got " + index + " at position 70");
  }
}
