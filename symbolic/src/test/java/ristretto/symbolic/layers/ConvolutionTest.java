package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.conv;
import static ristretto.symbolic.Layers.maxPool;
import static ristretto.symbolic.Layers.sum;
import static ristretto.symbolic.Layers.tanh;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.LibraryContexts;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.run.Graph;

/** Convolutions and pooling beside the same as one expression of all windows. */
class ConvolutionTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static Expr<F64> product(Expr<F64> v, Expr<F64> w, Expr<F64> b, Window window) {
    Expr<F64> windows = window.over(v, 0);
    long[] s = windows.shape().toArray();
    Expr<F64> columns = windows.permute(0, 2, 3, 1, 4, 5).reshape(s[0] * s[2] * s[3], -1);
    Expr<F64> y = Ops.dot(columns, w.reshape(w.shape().dim(0), -1).t()).plus(b);
    return y.reshape(s[0], s[2], s[3], -1).permute(0, 3, 1, 2);
  }

  /** A few images at once, and so many that they are taken in several blocks. */
  @ParameterizedTest
  @CsvSource({"2, 1", "37, 1", "37, 2"})
  void isTheProductWithAllWindows(long images, long stride) {
    Window window = Window.of(3, 3).padding(1, 1).stride(stride, stride);
    Variable<F64> v = Variable.input("v", F64, -1, 4, 24, 26);
    Variable<F64> y = conv("c", v, 5, window);
    Variable<F64> w = parameter(y, 0);
    Variable<F64> b = parameter(y, 1);
    Variable<F64> same =
        Layers.apply("product", F64, x -> product(x.get(v), x.get(w), x.get(b), window), v, w, b);
    agree(v, List.of(sum(tanh(y)), sum(tanh(same))), w, b, images, 4, 24, 26);
  }

  /** By a library, where a device has one: two kernels for the gradients, and no windows. */
  @Test
  void theSameThroughALibrary() {
    Window window = Window.of(3, 2).padding(1, 1).stride(2, 1);
    Variable<F64> v = Variable.input("v", F64, -1, 4, 6, 5);
    Variable<F64> y = conv("c", v, 6, window, 2);
    Variable<F64> loss = sum(tanh(y));
    try (Context oracle = Context.open("oracle")) {
      var wanted = new Executor(CTX, loss);
      var got = new Executor(oracle, loss);
      Tensor<F64> images = CTX.eval(normal(F64, 3, 2, 4, 6, 5));
      Tensor<F64> filters = wanted.tensor(parameter(y, 0));
      oracle.assign(got.tensor(parameter(y, 0)), on(oracle, filters));
      wanted.set(v, images);
      got.set(v, on(oracle, images));
      for (Executor x : List.of(wanted, got)) {
        x.wantGradients(v);
        x.backward(loss);
      }
      assertThat(got.explain().kernels().stream().filter(k -> k.startsWith("conv"))).hasSize(3);
      assertThat(wanted.explain().kernels()).noneMatch(k -> k.startsWith("conv"));
      assertThat(got.tensor(loss).item()).isCloseTo(wanted.tensor(loss).item(), within(1e-9));
      for (Variable<F64> each : List.of(v, parameter(y, 0), parameter(y, 1))) {
        assertThat(got.gradientOf(each).toDoubleArray())
            .containsExactly(wanted.gradientOf(each).toDoubleArray(), within(1e-9));
      }
    }
  }

  /** On processors: all of it by oneDNN, but for the gradient of images of one channel. */
  @ParameterizedTest
  @CsvSource({
    "false, 4, 2, 4, 3",
    "false, 1, 1, 3, 2",
    "false, 33, 1, 5, 3",
    "true, 4, 1, 4, 3",
    "true, 1, 1, 2, 2"
  })
  void theSameThroughOneDnn(
      boolean uneven, long channels, long groups, long filters, int convolutions) {
    Window window = Window.of(3, 2).stride(2, 1);
    window = uneven ? window.padding(new long[] {0, 1}, new long[] {2, 0}) : window.padding(1, 1);
    Variable<F32> v = Variable.input("v", F32, -1, channels, 9, 7);
    Variable<F32> y = conv("c", v, filters, window, groups);
    Variable<F32> loss = sum(tanh(y));
    try (Context own = LibraryContexts.open("own", 1);
        Context one = LibraryContexts.open("auto", 1);
        Context two = LibraryContexts.open("auto", 2)) {
      var executors = new ArrayList<Executor>();
      for (Context context : List.of(own, one, two)) {
        var executor = new Executor(context, loss);
        executor.set(v, normal(F32, 3, 50, channels, 9, 7));
        executor.wantGradients(v);
        executor.backward(loss);
        executors.add(executor);
      }
      Executor wanted = executors.get(0);
      Executor got = executors.get(1);
      assertThat(wanted.explain().kernels()).noneMatch(k -> k.startsWith("conv"));
      assertThat(got.explain().kernels().stream().filter(k -> k.startsWith("conv")))
          .hasSize(convolutions);
      for (int k = 0; k < 3; k++) {
        Variable<F32> each = k == 0 ? v : parameter(y, k - 1);
        float[] gradient = got.gradientOf(each).toFloatArray();
        float[] expected = wanted.gradientOf(each).toFloatArray();
        for (int i = 0; i < expected.length; i++) {
          assertThat(gradient[i])
              .as("%s [%d]", each, i)
              .isCloseTo(expected[i], within(1e-4f * Math.max(1, Math.abs(expected[i]))));
        }
        assertThat(executors.get(2).gradientOf(each).toFloatArray()).isEqualTo(gradient);
      }
    }
  }

  private static Tensor<F64> on(Context context, Tensor<F64> t) {
    return context.tensor(t.toDoubleArray(), t.shape().toArray());
  }

  @SuppressWarnings("unchecked")
  private static <T> Variable<T> parameter(Variable<T> y, int number) {
    return (Variable<T>) new Graph(List.of(y)).of(Variable.Kind.PARAMETER).get(number);
  }

  private static void agree(
      Variable<F64> v,
      List<Variable<F64>> losses,
      Variable<F64> w,
      Variable<F64> b,
      long... shape) {
    var executor = new Executor(CTX, losses.get(0), losses.get(1));
    executor.wantGradients(v);
    executor.set(v, normal(F64, 3, shape));
    executor.backward(losses.get(1));
    double loss = executor.tensor(losses.get(1)).item();
    var wanted =
        List.of(v, w, b).stream().map(p -> executor.gradientOf(p).toDoubleArray()).toList();
    executor.backward(losses.get(0));
    assertThat(executor.tensor(losses.get(0)).item()).isCloseTo(loss, within(1e-9));
    for (int k = 0; k < 3; k++) {
      Tensor<F64> got = executor.gradientOf(List.of(v, w, b).get(k));
      assertThat(got.toDoubleArray()).containsExactly(wanted.get(k), within(1e-9));
    }
  }

  @Test
  void theLargestOfWindowsApartGetTheGradient() {
    // The last row and the last column are in no window.
    Variable<F64> v = Variable.parameter("v", F64, Initializer.zeros(), 1, 1, 3, 5);
    Variable<F64> loss = sum(maxPool(v, Window.of(2, 2).stride(2, 2)));
    var executor = new Executor(CTX, loss);
    double[] values = {1, 4, 2, 7, 9, 4, 0, 3, 2, 9, 9, 9, 9, 9, 9};
    CTX.assign(executor.tensor(v), CTX.tensor(values, 1, 1, 3, 5));
    executor.backward(loss);
    assertThat(executor.tensor(loss).item()).isEqualTo(11);
    // Two fours share what is theirs.
    assertThat(executor.gradientOf(v).toDoubleArray())
        .containsExactly(0, 0.5, 0, 1, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }
}
