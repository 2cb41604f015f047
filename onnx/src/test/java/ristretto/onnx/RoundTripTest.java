package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.*;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.ConvTranspose;
import ristretto.symbolic.layers.InstanceNorm;
import ristretto.symbolic.layers.MultiHeadAttention;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.RmsNorm;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;

/** Models that are exported, imported and compared, in batches of several sizes. */
class RoundTripTest {
  @TempDir Path folder;

  private static final Offset<Double> BOUND = Offset.offset(1e-5);

  /**
   * A model.
   *
   * @param fixed false if an imported model trains in another way: it keeps the statistics of batch
   *     normalizations, and an LSTM has two biases in the file
   */
  private record Case(
      String name, boolean fixed, UnaryOperator<Variable<F32>> model, long... dims) {
    Case(String name, UnaryOperator<Variable<F32>> model, long... dims) {
      this(name, true, model, dims);
    }

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
        new Case("residual", false, RoundTripTest::residual, 2, 6, 5),
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
            "lstm",
            false,
            v -> Recurrent.of(Cell.lstm(), 5).bidirectional().over("l", v).outputs(),
            7,
            3),
        new Case(
            "gru", v -> dense("y", Recurrent.of(Cell.gru(), 5).over("g", v).outputs(), 2), 7, 3),
        new Case("patches", RoundTripTest::patches, 3, 12, 12),
        new Case("pools", v -> averagePool(v, Window.of(2, 2).padding(1, 0)), 3, 5, 6));
  }

  /** Attention among the pixels of an image: sizes that are computed from the batch size. */
  private static Variable<F32> patches(Variable<F32> v) {
    var a =
        maxPool(relu(conv("c", v, 6, Window.of(3, 3).padding(1, 1))), Window.of(2, 2).stride(2));
    var rows = reshape(permute(a, 0, 2, 3, 1), -1, 36, 6);
    var b = new MultiHeadAttention("a", 2).causal().of(rows);
    return dense("y", mean(b, 1), 4);
  }

  private static Variable<F32> residual(Variable<F32> v) {
    var same = Window.of(3, 3).padding(1, 1);
    var a = relu(new BatchNorm("n1").of(new Conv("c1", 2, same).bias(false).of(v)));
    var b = new BatchNorm("n2").of(new Conv("c2", 2, same).bias(false).of(a));
    return mean(relu(b.plus(v)), 2, 3);
  }

  /** Cases with parameters; recurrent ones, whose first axis are steps, with a known length. */
  static Stream<Case> trainable() {
    return cases().filter(c -> !c.name.equals("pools"));
  }

  private static Variable<F32> input(Case c) {
    return input(c, -1);
  }

  private static Variable<F32> input(Case c, long batch) {
    long[] dims = new long[c.dims.length + 1];
    dims[0] = batch;
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
    requireClose(found, wanted, 1e-6);
  }

  private static void requireClose(float[] found, float[] wanted, double bound) {
    assertThat(found).hasSameSizeAs(wanted);
    double scale = 0;
    double error = 0;
    for (int k = 0; k < wanted.length; k++) {
      scale = Math.max(scale, Math.abs(wanted[k]));
      error = Math.max(error, Math.abs(found[k] - (double) wanted[k]));
    }
    assertThat(scale).isGreaterThan(0);
    assertThat(error).isLessThanOrEqualTo(bound * scale + 1e-7);
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

  /**
   * Updates of an imported model and of the model that was exported, which agree only if all
   * gradients do. The exported model keeps its statistics too.
   */
  @ParameterizedTest
  @MethodSource("trainable")
  void sameGradients(Case c) {
    try (Context ctx = Context.open("cpu")) {
      Variable<F32> x = input(c);
      Variable<F32> y = c.model.apply(x);
      Variable<F32> loss = mean(square(y.minus(0.5)));
      var executor = new Executor(ctx, 3, loss, y);
      Path file = folder.resolve("model.onnx");
      executor.exportOnnx(file, y);
      Model m = Onnx.load(ctx, file);
      boolean recurrent = c.name.equals("lstm") || c.name.equals("gru");
      Variable<F32> x2 = input(c, recurrent ? 4 : -1);
      Variable<F32> y2 = m.apply(m.outputs().get(0), F32, Map.of("x", x2));
      Variable<F32> loss2 = mean(square(y2.minus(0.5)));
      var tuned = new Executor(ctx, loss2, y2);
      Optimizer first = Optimizer.sgd(0.01);
      Optimizer second = Optimizer.sgd(0.01);
      double before = 0;
      for (int k = 0; k < 10; k++) {
        Tensor<F32> in = sample(ctx, c, recurrent ? 4 : 2 + k % 3);
        executor.set(x, in);
        tuned.set(x2, in);
        executor.step(loss, first);
        tuned.step(loss2, second);
        before = k == 0 ? tuned.tensor(loss2).item() : before;
        if (c.fixed) {
          assertThat(tuned.tensor(loss2).item()).isCloseTo(executor.tensor(loss).item(), BOUND);
        }
      }
      assertThat(tuned.tensor(loss2).item()).isLessThan(before);
      executor.forward();
      tuned.forward();
      if (c.fixed) {
        requireClose(tuned.tensor(y2).toFloatArray(), executor.tensor(y).toFloatArray(), 1e-5);
      }
    }
  }
}
