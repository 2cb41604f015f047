package ristretto.onednn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

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

  /** No threads of OpenMP, which would have the name of the thread that started them. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void itStartsNoThreads() throws Exception {
    var counts = new ArrayList<Long>();
    Thread thread =
        Thread.ofPlatform()
            .name("lonely")
            .start(() -> {
              Case c = new Case(s(64, 64, 28, 28), s(64, 64, 3, 3), 1, 1, 1, 1);
              try (Context one = with("auto", 1)) {
                parts(one, c).forEach(e -> values(one, e));
                counts.add(threads("lonely"));
              }
            });
    thread.join();
    assertThat(counts).containsExactly(1L);
  }

  private static long threads(String name) {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return tasks.filter(task -> name(task).equals(name)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Empty if the thread is gone. */
  private static String name(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (IOException _) {
      return "";
    }
  }

  @Test
  void theUsersNumberOfThreadsComesBack() {
    int before = OneDnn.alone();
    OneDnn.restore(3);
    try (Context one = with("auto", 1)) {
      Case c = new Case(s(2, 3, 9), s(4, 3, 3), 1, 1, 1, 1);
      parts(one, c).forEach(e -> values(one, e));
      assertThat(OneDnn.alone()).isEqualTo(3);
    } finally {
      OneDnn.restore(before);
    }
  }

  /** Scratch memory is the device's, and the same for all that runs one after the other. */
  @Test
  void memoryIsCounted() {
    try (Context one = with("auto", 1)) {
      Case c = new Case(s(16, 64, 28, 28), s(64, 64, 3, 3), 1, 1, 1, 1);
      List<Expr<?>> parts = parts(one, c);
      Tensor<F32> y = one.eval(first(parts));
      long used = one.stats().peakBytes();
      long operands = 4L * (3 * 16 * 64 * 28 * 28 + 64 * 64 * 9);
      assertThat(used).isGreaterThan(operands);
      for (int k = 0; k < 3; k++) {
        one.assign(y, first(parts));
      }
      assertThat(one.stats().peakBytes()).isEqualTo(used);
    }
  }

  @SuppressWarnings("unchecked")
  private static Expr<F32> first(List<Expr<?>> parts) {
    return (Expr<F32>) parts.get(0);
  }

  /** Several threads run the same routines at once. */
  @Test
  void concurrently() throws Exception {
    Case c = new Case(s(33, 6, 14, 14), s(16, 6, 5, 5), 1, 1, 0, 1);
    var results = new ConcurrentLinkedQueue<List<Float>>();
    try (Context two = with("auto", 2)) {
      var threads = new ArrayList<Thread>();
      for (int t = 0; t < 4; t++) {
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  for (int k = 0; k < 5; k++) {
                    var all = new ArrayList<Float>();
                    for (Expr<?> e : parts(two, c)) {
                      for (float v : values(two, e)) {
                        all.add(v);
                      }
                    }
                    results.add(all);
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(results).hasSize(20);
    assertThat(results.stream().distinct()).hasSize(1);
  }
}
