package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.normal;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.PaddingMode;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Padding modes and {@code padding("same")} of convolutions, beside plain loops. */
class ConvPaddingTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static int source(PaddingMode mode, int at, int extent) {
    return switch (mode) {
      case ZEROS -> at < 0 || at >= extent ? -1 : at;
      case REFLECT -> at < 0 ? -at : at >= extent ? 2 * extent - 2 - at : at;
      case REPLICATE -> Math.clamp(at, 0, extent - 1);
      case CIRCULAR -> Math.floorMod(at, extent);
    };
  }

  /** Convolution of one axis: {@code x[n,c,t], w[f,c,k] -> y[n,f,before + t + after - d (k-1)]}. */
  private static double[] convolved(
      Tensor<F64> x, Tensor<F64> w, PaddingMode mode, int before, int after, int dilation) {
    int n = (int) x.shape().at(0);
    int c = (int) x.shape().at(1);
    int t = (int) x.shape().at(2);
    int filters = (int) w.shape().at(0);
    int k = (int) w.shape().at(2);
    double[] a = x.toDoubleArray();
    double[] b = w.toDoubleArray();
    int places = before + t + after - dilation * (k - 1);
    double[] y = new double[n * filters * places];
    for (int i = 0; i < n; i++) {
      for (int f = 0; f < filters; f++) {
        for (int p = 0; p < places; p++) {
          double sum = 0;
          for (int j = 0; j < c; j++) {
            for (int q = 0; q < k; q++) {
              int at = source(mode, p + dilation * q - before, t);
              sum += at < 0 ? 0 : a[(i * c + j) * t + at] * b[(f * c + j) * k + q];
            }
          }
          y[(i * filters + f) * places + p] = sum;
        }
      }
    }
    return y;
  }

  private static void check(Conv conv, PaddingMode mode, int before, int after, int dilation) {
    Variable<F64> v = Variable.input("v", F64, -1, 3, -1);
    Variable<F64> y = conv.bias(false).paddingMode(mode).of(v);
    var executor = new Executor(CTX, y);
    Tensor<F64> x = CTX.eval(normal(F64, 4, 2, 3, 11));
    executor.set(v, x);
    executor.forward();
    Tensor<F64> w = executor.tensor(executor.parameters().get(0)).as(F64);
    double[] expected = convolved(x, w, mode, before, after, dilation);
    double[] found = executor.tensor(y).toDoubleArray();
    assertThat(found).hasSameSizeAs(expected);
    for (int k = 0; k < found.length; k++) {
      assertThat(found[k]).isCloseTo(expected[k], within(1e-12));
    }
  }

  @ParameterizedTest
  @EnumSource(PaddingMode.class)
  void agreesWithALoop(PaddingMode mode) {
    check(new Conv("c", 2, Window.of(3).padding(1)), mode, 1, 1, 1);
    check(new Conv("c", 2, Window.of(3)), mode, 0, 0, 1);
    check(
        new Conv("c", 5, Window.of(4).padding(new long[] {3}, new long[] {1}).dilation(2)),
        mode,
        3,
        1,
        2);
  }

  @ParameterizedTest
  @EnumSource(PaddingMode.class)
  void sameSizeWithMoreAtTheEnd(PaddingMode mode) {
    check(new Conv("c", 2, Window.of(5)).padding("same"), mode, 2, 2, 1);
    check(new Conv("c", 2, Window.of(4)).padding("same"), mode, 1, 2, 1);
    check(new Conv("c", 2, Window.of(2).dilation(3)).padding("same"), mode, 1, 2, 3);
    check(new Conv("c", 2, Window.of(1)).padding("same"), mode, 0, 0, 1);
    check(new Conv("c", 2, Window.of(4)).padding("valid"), mode, 0, 0, 1);
  }

  @Test
  void dimensions() {
    Variable<F32> v = Variable.input("v", F32, -1, 3, 8, 9);
    Variable<F32> same =
        new Conv("c", 2, Window.of(4, 3)).padding("same").paddingMode(PaddingMode.REFLECT).of(v);
    assertThat(same.dims()).isEqualTo(Dims.of(-1, 2, 8, 9));
    Variable<F32> wide = Variable.input("v", F32, -1, 3, -1, -1);
    for (PaddingMode mode : PaddingMode.values()) {
      Window window = Window.of(3, 3).padding(1).stride(2);
      assertThat(new Conv("c", 2, window).paddingMode(mode).of(wide).dims())
          .isEqualTo(Dims.of(-1, 2, -1, -1));
    }
  }

  @ParameterizedTest
  @EnumSource(PaddingMode.class)
  void gradients(PaddingMode mode) {
    Variable<F64> v = Variable.parameter("v", F64, Initializer.normal(1), 2, 3, 5, 4);
    Window window = Window.of(3, 2).padding(new long[] {2, 1}, new long[] {1, 2});
    Variable<F64> y = new Conv("c", 2, window).paddingMode(mode).of(v);
    Variable<F64> loss = Layers.sum(Layers.tanh(y));
    GradientCheck.of(CTX, new Executor(CTX, 9, loss), loss);
  }

  /** Gradients of a penalty on the slope with respect to the input. */
  @ParameterizedTest
  @EnumSource(PaddingMode.class)
  void secondOrder(PaddingMode mode) {
    Variable<F64> v = Variable.parameter("v", F64, Initializer.normal(1), 2, 3, 7);
    Variable<F64> y =
        new Conv("c", 2, Window.of(4)).padding("same").paddingMode(mode).of(Layers.tanh(v));
    Variable<F64> energy = Layers.sum(Layers.tanh(y));
    Variable<F64> slope =
        Layers.apply("slope", F64, x -> Ops.gradient(x.get(energy), x.get(v)), energy, v);
    Variable<F64> loss = Layers.sum(Layers.square(slope));
    GradientCheck.of(CTX, new Executor(CTX, 9, loss), loss);
  }

  private static void fails(Runnable mistake, String message) {
    assertThatThrownBy(mistake::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }

  @Test
  void mistakes() {
    fails(
        () -> new Conv("c", 2, Window.of(3)).padding("full"),
        "[c] padding must be \"same\" or \"valid\"; got \"full\"; amounts are set by"
            + " Window.padding.");
    fails(
        () -> new Conv("c", 2, Window.of(3, 3).stride(1, 2)).padding("same"),
        "[c] padding \"same\" must have strides of 1, as in PyTorch; got window [3, 3] stride [1,"
            + " 2] dilation [1, 1] padding [0, 0]; set amounts by Window.padding, or Window.same"
            + " for the input's size over the stride.");
    fails(
        () -> new Conv("c", 2, Window.of(3).padding(1)).padding("same"),
        "[c] padding must be set once; got padding(\"same\") and window [3] stride [1] dilation"
            + " [1] padding [1]; omit one.");
    Variable<F32> v = Variable.input("v", F32, -1, 3, 2);
    var applied = new Conv("c", 2, Window.of(2));
    applied.of(v);
    fails(
        () -> applied.paddingMode(PaddingMode.REFLECT),
        "[c] options must be set before the first application of a layer; got paddingMode(REFLECT)"
            + " after it; set it where the layer is created.");
    fails(
        () -> applied.padding("same"),
        "[c] options must be set before the first application of a layer; got padding(\"same\")"
            + " after it; set it where the layer is created.");
    fails(
        () -> new Conv("c", 2, Window.of(3).padding(2)).paddingMode(PaddingMode.REFLECT).of(v),
        "[c.padding] the inputs must fit the operator; got v f32[?,3,2]: [pad] reflect padding must"
            + " be less than the extent of its axis; got amounts 2 and 2 for axis 2 of f32[?,3,2];"
            + " pad less, or in another mode.");
  }

  /** An axis of unknown extent is checked when the input is set. */
  @Test
  void inputsThatAreTooSmall() {
    Variable<F32> v = Variable.input("v", F32, -1, 3, -1);
    Window window = Window.of(3).padding(2);
    var executor =
        new Executor(CTX, new Conv("c", 2, window).paddingMode(PaddingMode.REFLECT).of(v));
    executor.set(v, CTX.ones(F32, 1, 3, 2));
    fails(
        executor::forward,
        "[pad] reflect padding must be less than the extent of its axis; got amounts 2 and 2 for"
            + " axis 2 of f32[1,3,2]; pad less, or in another mode.");
  }
}
