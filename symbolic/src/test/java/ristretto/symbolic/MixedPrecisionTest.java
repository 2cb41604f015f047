package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.BF16;
import static ristretto.expr.Ops.F16;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.*;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

class MixedPrecisionTest {
  private static final Context CTX = Context.open();

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  static Stream<DType<?>> dtypes() {
    return Stream.of(F16, BF16);
  }

  /** A deep network over rows whose class is the sign of their sum. */
  private static final class ModelBuilder {
    final Variable<F32> x = Variable.input("x", F32, -1, 64);
    final Variable<I32> labels = Variable.input("labels", I32, -1);
    final Variable<F32> loss;
    final Executor executor;
    final Optimizer optimizer = Optimizer.adam(0.003);

    ModelBuilder(DType<?> narrow) {
      Variable<F32> v = x;
      for (int k = 0; k < 6; k++) {
        v = gelu(layerNorm("norm" + k, dense("dense" + k, v, 64)));
      }
      loss = softmaxCrossEntropy(dense("out", v, 2), labels);
      executor = new Executor(CTX, 3, loss);
      if (narrow != null) {
        executor.mixedPrecision(narrow);
      }
      Tensor<F32> rows = CTX.eval(normal(F32, 1, 128, 64));
      executor.set(x, rows);
      executor.set(labels, Ops.sum(rows, 1).gt(0).cast(I32));
    }

    double train(int steps) {
      for (int k = 0; k < steps; k++) {
        executor.step(loss, optimizer);
      }
      return executor.tensor(loss).item();
    }
  }

  @ParameterizedTest
  @MethodSource("dtypes")
  void lessMemoryAndNearlyTheSame(DType<?> narrow) {
    var full = new ModelBuilder(null);
    var mixed = new ModelBuilder(narrow);
    double first = full.train(1);
    assertThat(mixed.train(1)).isCloseTo(first, within(0.02)).isNotEqualTo(first);
    assertThat(mixed.executor.temporaryBytes()).isLessThan(full.executor.temporaryBytes() * 3 / 4);
    var model = new ModelBuilder(narrow);
    model.executor.backward(model.loss);
    full = new ModelBuilder(null);
    full.executor.backward(full.loss);
    Tensor<F32> exact = full.executor.gradientOf(full.executor.parameters().get(0)).as(F32);
    Tensor<F32> near = model.executor.gradientOf(model.executor.parameters().get(0)).as(F32);
    double difference = CTX.eval(Ops.norm(near.minus(exact))).item();
    assertThat(difference).isLessThan(0.05 * CTX.eval(Ops.norm(exact)).item());
    assertThat(mixed.train(60)).isLessThan(0.1);
  }

  /** A gradient of 1e-9 is 0 in F16, but not times the scale. */
  @Test
  void smallGradientsSurvive() {
    Variable<F32> w = Variable.parameter("w", F32, Initializer.ones(), 4);
    Variable<F32> a = exp(sin(w.times(0.5)));
    Variable<F32> loss = sum(square(cos(a)).plus(a).plus(exp(a))).times(1e-9);
    var full = new Executor(CTX, loss);
    full.backward(loss);
    var mixed = new Executor(CTX, loss);
    mixed.mixedPrecision(F16);
    mixed.backward(loss);
    float expected = full.gradientOf(w).toFloatArray()[0];
    assertThat(mixed.gradientOf(w).toFloatArray()[0])
        .isCloseTo(expected, within(Math.abs(expected) * 0.01f));
  }

  @Test
  void overflowHalvesTheScaleAndChangesNothing() throws Exception {
    Variable<F32> w = Variable.parameter("w", F32, Initializer.ones(), 4);
    Variable<F32> factor = Variable.input("factor", F32);
    // What is read twice goes through memory, as does its gradient.
    Variable<F32> a = sum(w.times(2), 0);
    Variable<F32> b = tanh(sin(a)).times(cos(a));
    Variable<F32> loss = sum(b.times(factor));
    var executor = new Executor(CTX, loss);
    executor.mixedPrecision(F16);
    Optimizer optimizer = Optimizer.sgd(0.1);
    float[] before = executor.tensor(w).toFloatArray();
    double expected = 65_536;
    for (double overflows : new double[] {1e6, 1e30}) {
      executor.set(factor, Ops.scalar(F32, overflows));
      executor.step(loss, optimizer);
      expected /= 2;
      assertThat(executor.tensor(loss).item()).isFinite();
      assertThat(executor.tensor(w).toFloatArray()).isEqualTo(before);
      assertThat(scale(executor)).isEqualTo(expected);
    }
    executor.set(factor, Ops.scalar(F32, 1));
    executor.step(loss, optimizer);
    assertThat(executor.tensor(w).toFloatArray()).isNotEqualTo(before);
    assertThat(scale(executor)).isEqualTo(expected);
  }

  private double scale(Executor executor) {
    Path file = folder.resolve("scale.safetensors");
    executor.save(file);
    return CTX.loadAll(file).get("executor/scale").item();
  }

  @Test
  void theScaleGrowsAfterManySteps() {
    Variable<F32> w = Variable.parameter("w", F32, Initializer.ones(), 1);
    Variable<F32> loss = sum(square(w));
    var executor = new Executor(CTX, loss);
    executor.mixedPrecision(F16);
    Optimizer optimizer = Optimizer.sgd(0.001);
    for (int k = 0; k < 1999; k++) {
      executor.step(loss, optimizer);
    }
    assertThat(scale(executor)).isEqualTo(65_536);
    executor.step(loss, optimizer);
    assertThat(scale(executor)).isEqualTo(131_072);
  }

  @Test
  void resumedTrainingGivesTheSameBits() {
    var straight = new ModelBuilder(F16);
    straight.train(6);
    var first = new ModelBuilder(F16);
    first.train(3);
    Path file = folder.resolve("model.safetensors");
    first.executor.save(file);
    var second = new ModelBuilder(F16);
    second.executor.restore(file);
    assertThat(second.train(3)).isEqualTo(straight.executor.tensor(straight.loss).item());
  }

  @Test
  void whatOverflowsIsNamed() {
    Variable<F32> w = Variable.parameter("w", F32, Initializer.constant(300), 3);
    Variable<F32> large = exp(log(w).times(2)).plus(tanh(w)).plus(sin(w)).plus(cos(w));
    Variable<F32> loss = mean(large.times(sigmoid(large)).minus(large));
    var executor = new Executor(CTX, loss);
    executor.mixedPrecision(F16);
    executor.step(loss, Optimizer.sgd(0.1));
    assertThat(executor.tensor(loss).item()).isNaN();
    assertThat(executor.whyNotFinite(loss)).contains("Infinity to Infinity");
  }

  @Test
  void onlyHalfOfF32() {
    var model = new ModelBuilder(null);
    assertThatThrownBy(() -> model.executor.mixedPrecision(F64))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[mixedPrecision] the narrow dtype must be F16 or BF16; got f64.");
  }
}
