package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.*;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.ConvTranspose;
import ristretto.symbolic.layers.InstanceNorm;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.RmsNorm;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;

/** Models that are exported, imported and compared, in batches of several sizes. */
class RoundTripTest {
  @TempDir Path folder;

  private record Case(String name, UnaryOperator<Variable<F32>> model, long... dims) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(
            "regression", v -> dense("y", tanh(dense("h2", tanh(dense("h1", v, 11)), 5)), 1), 7),
        new Case("autoencoder", v -> sigmoid(dense("d", gelu(dense("e", v, 3)), 7)), 7),
        new Case(
            "digits",
            v -> {
              var a = relu(conv("c1", v, 3, Window.of(3, 3).padding(1, 1)));
              var b =
                  relu(conv("c2", maxPool(a, Window.of(2, 2).stride(2, 2)), 5, Window.of(2, 2)));
              return logSoftmax(dense("y", flatten(b), 10), 1);
            },
            1,
            9,
            7),
        new Case("residual", RoundTripTest::residual, 2, 6, 5),
        new Case(
            "generator",
            v ->
                tanh(
                    new ConvTranspose("t", 3, Window.of(3, 2).stride(2, 2).padding(1, 0))
                        .of(new InstanceNorm("n").affine(true).of(v))),
            2,
            3,
            4),
        new Case("norms", v -> groupNorm("g", new RmsNorm("r").of(layerNorm("l", v)), 2), 4, 5),
        new Case(
            "transformer",
            v -> {
              var a =
                  v.plus(multiHeadAttention("a", layerNorm("n1", v), layerNorm("n2", v), 2, true));
              return a.plus(dense("o", silu(dense("h", new RmsNorm("n3").of(a), 13)), 6));
            },
            5,
            6),
        new Case("additive", v -> additiveAttention("a", v, tanh(v), v), 4, 3),
        new Case(
            "lstm", v -> Recurrent.of(Cell.lstm(), 5).bidirectional().over("l", v).outputs(), 7, 3),
        new Case(
            "gru", v -> dense("y", Recurrent.of(Cell.gru(), 5).over("g", v).outputs(), 2), 7, 3),
        new Case("pools", v -> averagePool(v, Window.of(2, 2).padding(1, 0)), 3, 5, 6));
  }

  private static Variable<F32> residual(Variable<F32> v) {
    var same = Window.of(3, 3).padding(1, 1);
    var a = relu(new BatchNorm("n1").of(new Conv("c1", 2, same).bias(false).of(v)));
    var b = new BatchNorm("n2").of(new Conv("c2", 2, same).bias(false).of(a));
    return mean(relu(b.plus(v)), 2, 3);
  }

  private static Variable<F32> input(Case c) {
    long[] dims = new long[c.dims.length + 1];
    dims[0] = -1;
    System.arraycopy(c.dims, 0, dims, 1, c.dims.length);
    return Variable.input("x", F32, dims);
  }

  private static Tensor<F32> sample(Context ctx, Case c, long batch) {
    long[] dims = new long[c.dims.length + 1];
    dims[0] = batch;
    System.arraycopy(c.dims, 0, dims, 1, c.dims.length);
    return ctx.eval(Ops.normal(F32, batch, dims));
  }

  private static void requireClose(float[] found, float[] wanted) {
    assertThat(found).hasSameSizeAs(wanted);
    double scale = 0;
    double error = 0;
    for (int k = 0; k < wanted.length; k++) {
      scale = Math.max(scale, Math.abs(wanted[k]));
      error = Math.max(error, Math.abs(found[k] - (double) wanted[k]));
    }
    assertThat(scale).isGreaterThan(0);
    assertThat(error).isLessThanOrEqualTo(1e-6 * scale + 1e-7);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void sameOutputs(Case c) {
    try (Context ctx = Context.open("cpu")) {
      Variable<F32> x = input(c);
      Variable<F32> y = c.model.apply(x);
      var executor = new Executor(ctx, 3, y);
      Path file = folder.resolve("model.onnx");
      executor.exportOnnx(file, y);
      Model m = Onnx.load(ctx, file);
      assertThat(m.inputs()).containsExactly("x");
      for (long batch : new long[] {1, 2, 5}) {
        Tensor<F32> in = sample(ctx, c, batch);
        executor.set(x, in);
        executor.forward();
        Tensor<?> found = m.run(Map.of("x", in)).get(m.outputs().get(0));
        assertThat(found.shape()).isEqualTo(executor.tensor(y).shape());
        requireClose(found.toFloatArray(), executor.tensor(y).toFloatArray());
      }
    }
  }

  /** Gradients by name of the parameters of equal elements, and a loss that falls. */
  @Test
  void fineTuning() {
    try (Context ctx = Context.open("cpu")) {
      Variable<F32> x = Variable.input("x", F32, -1, 7);
      Variable<F32> y = dense("y", Layers.tanh(dense("h", x, 5)), 3);
      Variable<F32> loss = mean(square(y.minus(0.5)));
      var executor = new Executor(ctx, 3, loss, y);
      Path file = folder.resolve("model.onnx");
      executor.exportOnnx(file, y);
      Model m = Onnx.load(ctx, file);
      Variable<F32> x2 = Variable.input("x", F32, -1, 7);
      Variable<F32> y2 = m.apply(m.outputs().get(0), F32, Map.of("x", x2));
      Variable<F32> loss2 = mean(square(y2.minus(0.5)));
      var tuned = new Executor(ctx, loss2, y2);
      Tensor<F32> in = ctx.eval(Ops.normal(F32, 5, 11, 7));
      executor.set(x, in);
      tuned.set(x2, in);
      Optimizer first = Optimizer.sgd(0.1);
      Optimizer second = Optimizer.sgd(0.1);
      double before = 0;
      for (int k = 0; k < 20; k++) {
        executor.step(loss, first);
        tuned.step(loss2, second);
        assertThat(tuned.tensor(loss2).item())
            .isCloseTo(executor.tensor(loss).item(), org.assertj.core.api.Assertions.within(1e-6));
        before = k == 0 ? tuned.tensor(loss2).item() : before;
      }
      assertThat(tuned.tensor(loss2).item()).isLessThan(0.7 * before);
      assertThat(tuned.parameters()).hasSameSizeAs(executor.parameters());
      // The updates of 20 steps are the gradients: weights agree only if all of them did.
      executor.forward();
      tuned.forward();
      requireClose(tuned.tensor(y2).toFloatArray(), executor.tensor(y).toFloatArray());
    }
  }
}
