package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;

/** Convolutions and their gradients, beside plain loops. */
class ConvolutionTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  /**
   * @param images [n, channels, extents...]
   * @param filters [filters, channels / groups, extents...]
   */
  record Case(
      long[] images,
      long[] filters,
      long[] strides,
      long[] dilations,
      long[] padding,
      long groups) {
    <T> Expr<T> of(Expr<T> x, Expr<T> w) {
      return convolution(x, w, strides, dilations, padding, groups);
    }

    @Override
    public String toString() {
      return Arrays.toString(images)
          + " "
          + Arrays.toString(filters)
          + " by "
          + Arrays.toString(strides)
          + ", "
          + groups
          + " groups";
    }
  }

  private static long[] s(long... values) {
    return values;
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(s(1, 1, 1), s(1, 1, 1), s(1), s(1), s(0), 1),
        new Case(s(2, 3, 11), s(4, 3, 3), s(1), s(1), s(1), 1),
        new Case(s(3, 4, 17), s(6, 2, 4), s(3), s(2), s(2), 2),
        new Case(s(2, 3, 7, 9), s(5, 3, 3, 2), s(1, 1), s(1, 1), s(0, 0), 1),
        new Case(s(2, 4, 8, 7), s(4, 1, 3, 3), s(1, 2), s(2, 1), s(2, 1), 4),
        new Case(s(1, 2, 5, 5), s(3, 2, 5, 5), s(1, 1), s(1, 1), s(3, 2), 1),
        // Strides that leave a rest, and gaps between windows.
        new Case(s(2, 2, 10, 12), s(2, 2, 2, 2), s(3, 4), s(1, 1), s(0, 1), 1),
        new Case(s(2, 2, 4, 5, 6), s(3, 2, 2, 3, 2), s(1, 2, 2), s(1, 1, 2), s(1, 0, 1), 1));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithLoops(Case c) {
    for (Context context : List.of(DEVICE, ORACLE)) {
      check(context, F32, c, 1e-5);
      check(context, F64, c, 1e-13);
    }
  }

  private static <T> void check(Context context, DType<T> dtype, Case c, double tolerance) {
    double[] x = numbers(size(c.images), 1);
    double[] w = numbers(size(c.filters), 2);
    Tensor<T> images = context.eval(context.tensor(x, c.images).cast(dtype));
    Tensor<T> filters = context.eval(context.tensor(w, c.filters).cast(dtype));
    Expr<T> y = c.of(images, filters);
    long[] dims = y.shape().toArray();
    double[] dy = numbers(size(dims), 3);
    Tensor<T> weight = context.eval(context.tensor(dy, dims).cast(dtype));
    List<Expr<?>> gradients = Gradients.of(y, weight, List.of(images, filters));
    var loops = new Loops(c, dims);
    same(context, y, loops.results(x, w), tolerance);
    same(context, gradients.get(0), loops.images(dy, w), tolerance);
    same(context, gradients.get(1), loops.filters(dy, x), tolerance);
  }

  private static void same(Context context, Expr<?> e, double[] expected, double tolerance) {
    double[] got = context.eval(e.cast(F64)).toDoubleArray();
    assertThat(got).hasSameSizeAs(expected);
    double scale = Math.max(1, Arrays.stream(expected).map(Math::abs).max().orElse(1));
    for (int k = 0; k < got.length; k++) {
      assertThat(got[k]).as("%s [%d]", e, k).isCloseTo(expected[k], within(tolerance * scale));
    }
  }

  private static org.assertj.core.data.Offset<Double> within(double tolerance) {
    return org.assertj.core.data.Offset.offset(tolerance);
  }

  private static int size(long[] dims) {
    return (int) Arrays.stream(dims).reduce(1, (a, b) -> a * b);
  }

  private static double[] numbers(int count, long seed) {
    return new Random(seed).doubles(count, -1, 1).toArray();
  }

  /** Definition of a convolution as loops. */
  private record Loops(Case c, long[] dims) {
    private interface Body {
      void at(int y, int x, int w);
    }

    private void each(Body body) {
      long[] x = c.images;
      long[] w = c.filters;
      for (int y = 0; y < size(dims); y++) {
        for (int k = 0; k < size(w); k++) {
          long f = k / (size(w) / w[0]);
          long restY = y;
          long restW = k;
          long place = 0;
          long step = 1;
          boolean inside = true;
          for (int d = x.length - 1; d > 1; d--) {
            long at = restY % dims[d] * c.strides[d - 2] + restW % w[d] * c.dilations[d - 2];
            at -= c.padding[d - 2];
            inside &= at >= 0 && at < x[d];
            place += at * step;
            step *= x[d];
            restY /= dims[d];
            restW /= w[d];
          }
          long n = restY / dims[1];
          long channel = f / (w[0] / c.groups) * w[1] + restW % w[1];
          if (inside && restY % dims[1] == f) {
            body.at(y, (int) (place + (n * x[1] + channel) * step), k);
          }
        }
      }
    }

    double[] results(double[] x, double[] w) {
      double[] sums = new double[size(dims)];
      each((i, j, k) -> sums[i] += x[j] * w[k]);
      return sums;
    }

    double[] images(double[] dy, double[] w) {
      double[] sums = new double[size(c.images)];
      each((i, j, k) -> sums[j] += dy[i] * w[k]);
      return sums;
    }

    double[] filters(double[] dy, double[] x) {
      double[] sums = new double[size(c.filters)];
      each((i, j, k) -> sums[k] += dy[i] * x[j]);
      return sums;
    }
  }

  @Test
  void operandsAndTargetsAnyhow() {
    for (Context context : List.of(DEVICE, ORACLE)) {
      Tensor<F32> x = context.tensor(floats(2 * 3 * 5 * 6, 4), 6, 5, 3, 2);
      Tensor<F32> w = context.tensor(floats(4 * 3 * 2 * 2, 5), 4, 3, 2, 2);
      long[] ones = {1, 1};
      long[] none = {0, 0};
      Expr<F32> y = convolution(x.permute(3, 2, 1, 0).times(2), w.flip(0), ones, ones, none, 1);
      Tensor<F32> plain = context.eval(x.permute(3, 2, 1, 0).times(1));
      Tensor<F32> flipped = context.eval(w.flip(0).times(1));
      Expr<F32> twice = convolution(plain, flipped, ones, ones, none, 1).times(2);
      Tensor<F32> wide = context.zeros(F32, 2, 8, 4, 5);
      context.assign(wide.slice(all(), range(2, 6)), y.plus(1));
      float[] got = context.eval(wide.slice(all(), range(2, 6))).toFloatArray();
      float[] expected = context.eval(twice.plus(1)).toFloatArray();
      for (int k = 0; k < got.length; k++) {
        assertThat(got[k]).isCloseTo(expected[k], org.assertj.core.data.Offset.offset(1e-5f));
      }
      assertThat(wide.slice(all(), range(6, 8)).toFloatArray()).containsOnly(0);
    }
  }

  private static float[] floats(int count, long seed) {
    float[] values = new float[count];
    double[] numbers = numbers(count, seed);
    for (int k = 0; k < count; k++) {
      values[k] = (float) numbers[k];
    }
    return values;
  }

  /** A program inlines what one assignment reads; the product of windows makes views of it. */
  @Test
  void ofImagesThatAProgramInlines() {
    Case c = new Case(s(2, 2, 6, 5), s(4, 1, 3, 2), s(2, 1), s(1, 2), s(1, 1), 2);
    Tensor<F32> x = DEVICE.tensor(floats(size(c.images), 6), c.images);
    Tensor<F32> w = DEVICE.tensor(floats(size(c.filters), 7), c.filters);
    Expr<F32> images = x.times(x).plus(x).times(3);
    Expr<F32> filters = w.times(w).plus(w).times(3);
    float[] wanted = DEVICE.eval(c.of(images, filters)).toFloatArray();
    Tensor<F32> y = DEVICE.zeros(F32, c.of(x, w).shape().toArray());
    DEVICE
        .recordOnly(() -> DEVICE.assign(y, c.of(DEVICE.eval(images), DEVICE.eval(filters))))
        .run();
    assertThat(y.toFloatArray()).containsExactly(wanted);
  }

  @Test
  void ofTheSecondOrder() {
    Case c = new Case(s(2, 2, 6, 5), s(4, 1, 3, 2), s(2, 1), s(1, 2), s(1, 1), 2);
    Tensor<F32> x = DEVICE.tensor(floats(size(c.images), 6), c.images);
    Tensor<F32> w = DEVICE.tensor(floats(size(c.filters), 7), c.filters);
    Tensor<F32> v = DEVICE.tensor(floats(size(c.images), 8), c.images);
    Expr<F32> y = c.of(x, w);
    // Linear in images and in filters: what one's gradient depends on is the other.
    Expr<F32> dx = gradient(sum(y.times(y)).times(0.5), x);
    Expr<F32> along = gradient(sum(dx.times(v)), x);
    Expr<F32> expected = gradient(sum(c.of(x, w).times(c.of(v, w))), x);
    float[] got = DEVICE.eval(along).toFloatArray();
    float[] wanted = DEVICE.eval(expected).toFloatArray();
    for (int k = 0; k < got.length; k++) {
      assertThat(got[k]).isCloseTo(wanted[k], org.assertj.core.data.Offset.offset(1e-4f));
    }
  }

  @Test
  void nothingOfNothing() {
    Tensor<F32> none = DEVICE.zeros(F32, 0, 2, 5);
    Tensor<F32> w = DEVICE.ones(F32, 3, 2, 3);
    assertThat(DEVICE.eval(convolution(none, w, s(1), s(1), s(0), 1)).shape().toArray())
        .containsExactly(0, 3, 3);
  }

  @Test
  void oneKernelWhereALibraryHasIt() {
    Tensor<F32> x = ORACLE.ones(F32, 1, 2, 5);
    Tensor<F32> w = ORACLE.ones(F32, 3, 2, 3);
    Expr<F32> y = convolution(x, w, s(1), s(1), s(1), 1);
    assertThat(ORACLE.convolves(y)).isTrue();
    assertThat(ORACLE.convolves(x)).isFalse();
    assertThat(ORACLE.explain(y).kernelCount()).isEqualTo(1);
    assertThat(ORACLE.explain(y).temporaryCount()).isZero();
  }

  @Test
  void messages() {
    Tensor<F32> x = DEVICE.ones(F32, 1, 4, 5);
    Tensor<F32> w = DEVICE.ones(F32, 3, 2, 3);
    refused(
        "[convolution] images [n, channels, extents...] and filters [filters, channels / groups,"
            + " extents...] must be F32 or F64; got f32[1,4,5] and f32[3,2,3,1]; reshape or"
            + " cast them.",
        () -> convolution(x, w.reshape(3, 2, 3, 1), s(1), s(1), s(0), 1));
    refused(
        "[convolution] strides, dilations and padding must have one number per spatial axis;"
            + " got [1, 1], [1], [0] for f32[1,4,5]; give 1.",
        () -> convolution(x, w, s(1, 1), s(1), s(0), 1));
    refused(
        "[convolution] strides and dilations must be positive, and padding not negative; got [0],"
            + " [1], [0]; correct them.",
        () -> convolution(x, w, s(0), s(1), s(0), 1));
    refused(
        "[convolution] the groups must divide the channels and the number of filters, and filters"
            + " must have channels / groups channels; got f32[1,4,5], f32[3,2,3] and 2 groups;"
            + " correct the shapes.",
        () -> convolution(x, w, s(1), s(1), s(0), 2));
    refused(
        "[convolution] the dilated filter must fit into the padded image; got f32[1,4,5] and"
            + " f32[3,4,6]; add padding, or take smaller filters.",
        () -> convolution(x, DEVICE.ones(F32, 3, 4, 6), s(1), s(1), s(0), 1));
  }

  private static void refused(String message, Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
