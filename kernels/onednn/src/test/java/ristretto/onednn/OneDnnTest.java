package ristretto.onednn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;

/** Convolutions of the cpu device with oneDNN, beside those without. */
class OneDnnTest {
  /**
   * @param images [n, channels, extents...]
   * @param filters [filters, channels / groups, extents...]
   */
  record Case(
      long[] images, long[] filters, long stride, long dilation, long padding, long groups) {
    Expr<F32> of(Expr<F32> x, Expr<F32> w) {
      int axes = images.length - 2;
      return Ops.convolution(
          x, w, all(axes, stride), all(axes, dilation), all(axes, padding), groups);
    }

    private static long[] all(int axes, long value) {
      long[] values = new long[axes];
      Arrays.fill(values, value);
      return values;
    }

    @Override
    public String toString() {
      return Arrays.toString(images) + " " + Arrays.toString(filters) + " " + groups + " groups";
    }
  }

  private static long[] s(long... values) {
    return values;
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(s(100, 1, 28, 28), s(6, 1, 5, 5), 1, 1, 2, 1),
        new Case(s(50, 6, 14, 14), s(16, 6, 5, 5), 1, 1, 0, 1),
        // No number of blocks divides the images.
        new Case(s(101, 3, 32, 32), s(32, 3, 3, 3), 1, 1, 1, 1),
        new Case(s(7, 64, 28, 28), s(64, 64, 3, 3), 2, 1, 1, 1),
        new Case(s(4, 32, 20, 20), s(32, 1, 3, 3), 1, 1, 1, 32),
        new Case(s(4, 24, 20, 20), s(36, 8, 3, 3), 1, 2, 2, 3),
        new Case(s(16, 40, 200), s(64, 40, 5), 1, 1, 2, 1),
        new Case(s(2, 4, 8, 9, 10), s(8, 4, 3, 3, 3), 1, 1, 1, 1));
  }

  /** The convolution and its two gradients. */
  private static List<Expr<?>> parts(Context context, Case c) {
    Tensor<F32> x = context.tensor(numbers(c.images, 1), c.images);
    Tensor<F32> w = context.tensor(numbers(c.filters, 2), c.filters);
    Expr<F32> y = c.of(x, w);
    long[] dims = y.shape().toArray();
    Tensor<F32> dy = context.tensor(numbers(dims, 3), dims);
    var all = new ArrayList<Expr<?>>(List.of(y));
    all.addAll(Gradients.of(y, dy, List.of(x, w)));
    return all;
  }

  private static float[] numbers(long[] dims, long seed) {
    var random = new Random(seed);
    float[] values = new float[(int) Arrays.stream(dims).reduce(1, (a, b) -> a * b)];
    for (int k = 0; k < values.length; k++) {
      values[k] = random.nextFloat() - 0.5f;
    }
    return values;
  }

  private static Context with(String choice, int threads) {
    System.setProperty("ristretto.cpu.dnn", choice);
    System.setProperty("ristretto.cpu.threads", "" + threads);
    try {
      return Context.open("cpu");
    } finally {
      System.clearProperty("ristretto.cpu.dnn");
      System.clearProperty("ristretto.cpu.threads");
    }
  }

  @SuppressWarnings("unchecked")
  private static float[] values(Context context, Expr<?> e) {
    return context.eval((Expr<F32>) e).toFloatArray();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithProductsOfWindows(Case c) {
    try (Context own = with("own", 1);
        Context one = with("auto", 1);
        Context two = with("auto", 2);
        Context five = with("auto", 5)) {
      List<Expr<?>> expected = parts(own, c);
      for (int k = 0; k < expected.size(); k++) {
        Expr<?> e = parts(one, c).get(k);
        boolean oneChannel = k == 1 && c.images[1] == 1;
        assertThat(one.convolves(e)).as("%s", e).isEqualTo(!oneChannel);
        assertThat(own.convolves(e)).isFalse();
        float[] got = values(one, e);
        float[] wanted = values(own, expected.get(k));
        double scale = 1;
        for (float v : wanted) {
          scale = Math.max(scale, Math.abs(v));
        }
        for (int i = 0; i < wanted.length; i++) {
          assertThat((double) got[i])
              .as("%s [%d]", e, i)
              .isCloseTo(wanted[i], org.assertj.core.data.Offset.offset(2e-5 * scale));
        }
        if (!oneChannel) {
          assertThat(one.explain(e).kernelCount()).isEqualTo(1);
          assertThat(one.explain(e).temporaryCount()).isZero();
        }
        // The same bits whatever the number of threads.
        assertThat(values(two, parts(two, c).get(k))).isEqualTo(got);
        assertThat(values(five, parts(five, c).get(k))).isEqualTo(got);
      }
    }
  }
}
