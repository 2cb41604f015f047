package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.run.Graph;

/** A small network from end to end. */
class MultiLayerTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F32> x = Variable.input("x", F32, -1, 784);
  private final Variable<I32> labels = Variable.input("labels", I32, -1);
  private final Variable<F32> h1 = Layers.relu(dense("fc1", x, 128));
  private final Variable<F32> h2 = Layers.relu(dense("fc2", h1, 64));
  private final Variable<F32> logits = dense("fc3", h2, 10);
  private final Variable<F32> loss = softmaxCrossEntropy(logits, labels);

  @Test
  void shapesAreKnownBeforeAnythingRuns() {
    assertThat(logits).hasToString("fc3 f32[?,10]");
    assertThat(loss).hasToString("softmaxCrossEntropy f32[]");
  }

  @Test
  void aStepNeedsFewKernels() {
    var executor = new Executor(CTX, loss);
    executor.set(x, uniform(F32, 1, 100, 784));
    executor.set(labels, CTX.arange(I32, 100).rem(10));
    executor.step(loss, Optimizer.adam(0.001));
    long gemms = executor.explain().kernels().stream().filter(k -> k.startsWith("gemm")).count();
    assertThat(gemms).as(executor.explain()::toString).isEqualTo(8);
    assertThat(executor.explain().kernelCount() - gemms)
        .as(executor.explain()::toString)
        .isLessThanOrEqualTo(12);
  }

  @Test
  void itLearns() {
    var executor = new Executor(CTX, loss);
    executor.set(x, uniform(F32, 1, 100, 784));
    executor.set(labels, CTX.arange(I32, 100).rem(10));
    var optimizer = Optimizer.adam(0.001);
    executor.step(loss, optimizer);
    double first = executor.tensor(loss).item();
    assertThat(first).isCloseTo(Math.log(10), within(0.5));
    for (int k = 0; k < 100; k++) {
      executor.step(loss, optimizer);
    }
    executor.forward();
    assertThat(executor.tensor(loss).item()).isLessThan(first / 2);
  }

  @Test
  void gradientsAgreeWithDifferences() {
    Variable<ristretto.expr.type.F64> in = Variable.input("in", F64, -1, 5);
    Variable<I32> classes = Variable.input("classes", I32, -1);
    Variable<ristretto.expr.type.F64> hidden = Layers.tanh(dense("a", in, 4));
    Variable<ristretto.expr.type.F64> out =
        softmaxCrossEntropy(dense("b", Layers.gelu(hidden).plus(hidden), 3), classes);
    var executor = new Executor(CTX, out);
    executor.set(in, uniform(F64, 3, 7, 5));
    executor.set(classes, CTX.arange(I32, 7).rem(3));
    executor.backward(out);
    for (Variable<?> v : new Graph(java.util.List.of(out)).of(Variable.Kind.PARAMETER)) {
      @SuppressWarnings("unchecked")
      var p = (Variable<ristretto.expr.type.F64>) v;
      Tensor<ristretto.expr.type.F64> w = executor.tensor(p);
      Tensor<ristretto.expr.type.F64> direction = CTX.eval(normal(F64, 5, w.shape().toArray()));
      double slope = CTX.eval(sum(executor.gradientOf(p).times(direction))).item();
      CTX.assignAdd(w, direction.times(1e-5));
      executor.forward();
      double up = executor.tensor(out).item();
      CTX.assignSub(w, direction.times(2e-5));
      executor.forward();
      double down = executor.tensor(out).item();
      CTX.assignAdd(w, direction.times(1e-5));
      assertThat(slope).as(p.name()).isCloseTo((up - down) / 2e-5, within(1e-6));
    }
  }
}
