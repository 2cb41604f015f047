package ristretto.symbolic.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.*;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;

/** Values and weights that are used several times, broadcast, or in several executors. */
class SharingTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  @Test
  void oneInputForManyAndOneWeightForMany() {
    Variable<F64> x = Variable.input("x", F64, -1, 4);
    Variable<F64> w = Variable.parameter("w", F64, Initializer.normal(0.5), 4, 4);
    Variable<F64> b = Variable.parameter("b", F64, Initializer.normal(0.5), 4);
    Variable<F64> one = tanh(dense("one", x, w, b));
    Variable<F64> two = gelu(dense("two", one, w, b));
    Variable<F64> three = softmax(dot(two.plus(one), transpose(w)), 1);
    Variable<F64> loss = sum(three.times(one).plus(two.times(x)).plus(layerNorm("n", one)));
    var executor = new Executor(CTX, 2, loss);
    executor.set(x, normal(F64, 3, 5, 4));
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void convolutionsMayShareTheirInput() {
    Variable<F64> x = Variable.input("x", F64, -1, 2, 5, 5);
    Variable<F64> shift = Variable.parameter("shift", F64, Initializer.normal(1), 2, 1, 1);
    Variable<F64> v = x.plus(shift);
    Variable<F64> many =
        concat(
            1,
            conv("a", v, 2, Window.of(3, 3).padding(1, 1)),
            maxPool(v, Window.of(3, 3).padding(1, 1)),
            averagePool(v, Window.of(3, 3).padding(1, 1)),
            v);
    Variable<F64> loss = sum(square(many));
    var executor = new Executor(CTX, 2, loss);
    executor.set(x, normal(F64, 3, 2, 2, 5, 5));
    GradientCheck.of(CTX, executor, loss);
  }

  /** One network written step by step with shared weights, and as one operator. */
  @Test
  void unrolledIsLooped() {
    int steps = 5;
    Variable<F64> x = Variable.input("x", F64, steps, -1, 3);
    var looped = Recurrent.of(Cell.tanh(), 4).over("net", x);
    Variable<F64> loss = sum(square(looped.outputs())).plus(sum(looped.last().get(0)));
    var executor = new Executor(CTX, 6, loss);
    executor.set(x, normal(F64, 1, steps, 2, 3));
    executor.backward(loss);

    Variable<F64> wx = Variable.parameter("wx", F64, Initializer.zeros(), 3, 4);
    Variable<F64> wh = Variable.parameter("wh", F64, Initializer.zeros(), 4, 4);
    Variable<F64> bias = Variable.parameter("bias", F64, Initializer.zeros(), 4);
    Variable<F64> start = Variable.input("start", F64, -1, 4);
    Variable<F64> h = start;
    Variable<F64> total = null;
    for (int t = 0; t < steps; t++) {
      h = tanh(dot(slice(x, at(t)), wx).plus(dot(h, wh)).plus(bias));
      Variable<F64> part = sum(square(h));
      total = total == null ? part : total.plus(part);
    }
    Variable<F64> unrolled = total.plus(sum(h));
    var second = new Executor(CTX, 6, unrolled);
    second.set(x, normal(F64, 1, steps, 2, 3));
    second.set(start, Ops.fill(F64, 0, 2, 4));
    List<Variable<?>> from = executor.parameters();
    List<Variable<F64>> to = List.of(wx, wh, bias);
    for (int k = 0; k < to.size(); k++) {
      CTX.assign(second.tensor(to.get(k)), executor.tensor(from.get(k)).as(F64));
    }
    second.backward(unrolled);
    assertThat(second.tensor(unrolled).item())
        .isCloseTo(executor.tensor(loss).item(), within(1e-12));
    for (int k = 0; k < to.size(); k++) {
      assertThat(second.gradientOf(to.get(k)).toDoubleArray())
          .as(to.get(k).name())
          .containsExactly(executor.gradientOf(from.get(k)).as(F64).toDoubleArray(), within(1e-12));
    }
  }

  static Stream<Shape[]> broadcasts() {
    var all = new ArrayList<Shape[]>();
    List<Shape> shapes = new ArrayList<>();
    for (long a : new long[] {0, 1, 2}) {
      for (long b : new long[] {0, 1, 3}) {
        for (long c : new long[] {0, 1, 2}) {
          // 0: no such axis
          if (c == 0 && (a > 0 || b > 0) || b == 0 && a > 0) {
            continue;
          }
          shapes.add(Shape.of(Stream.of(a, b, c).filter(d -> d > 0).mapToLong(d -> d).toArray()));
        }
      }
    }
    for (Shape a : shapes) {
      for (Shape b : shapes) {
        all.add(new Shape[] {a, b});
      }
    }
    return all.stream();
  }

  /** Squares such as [2,1] and [1,2] among them, where a confused axis has the right length. */
  @ParameterizedTest
  @MethodSource("broadcasts")
  void everyBroadcast(Shape a, Shape b) {
    Variable<F64> u = Variable.parameter("u", F64, Initializer.uniform(0.5, 2), a.toArray());
    Variable<F64> v = Variable.parameter("v", F64, Initializer.uniform(0.5, 2), b.toArray());
    Variable<F64> y =
        u.plus(v)
            .times(u.minus(v))
            .div(u.times(v).plus(1))
            .plus(maximum(u, v))
            .minus(minimum(v, u));
    Variable<F64> loss = sum(y.times(y));
    var executor = new Executor(CTX, 3, y, loss);
    GradientCheck.of(CTX, executor, loss);
    assertThat(y.dims().accepts(executor.tensor(y).shape())).isTrue();
    assertThat(y.dims().known()).isTrue();
  }

  /** A network with everything that is random or kept while training. */
  private record ModelBuilder(
      Variable<F32> x, Variable<I32> labels, Variable<F32> scores, Variable<F32> loss) {
    static ModelBuilder make() {
      Variable<F32> x = Variable.input("x", F32, -1, 6);
      Variable<I32> labels = Variable.input("labels", I32, -1);
      Variable<F32> h = dropout(batchNorm("norm", dense("first", x, 8)), 0.4);
      var net = Recurrent.of(Cell.gru(), 5).layers(2).dropout(0.3).over("net", unsqueeze(h, 0));
      Variable<F32> scores = dense("second", squeeze(net.outputs(), 0), 3);
      return new ModelBuilder(x, labels, scores, softmaxCrossEntropy(scores, labels));
    }

    Executor executor(Context ctx, long seed) {
      var executor = new Executor(ctx, seed, scores, loss);
      executor.set(x, normal(F32, 4, 7, 6));
      executor.set(labels, ctx.arange(I32, 7).rem(3));
      return executor;
    }

    float[] train(Executor executor, int steps) {
      Optimizer optimizer = Optimizer.adam(0.01);
      for (int k = 0; k < steps; k++) {
        executor.step(loss, optimizer);
      }
      executor.forward();
      return executor.tensor(scores).toFloatArray();
    }
  }

  @Test
  void nothingIsRandomInUse() {
    ModelBuilder model = ModelBuilder.make();
    Executor executor = model.executor(CTX, 1);
    model.train(executor, 3);
    executor.forward();
    float[] first = executor.tensor(model.scores).toFloatArray();
    for (int k = 0; k < 3; k++) {
      executor.forward();
      assertThat(executor.tensor(model.scores).toFloatArray()).isEqualTo(first);
    }
    executor.backward(model.loss);
    float[] trained = executor.tensor(model.scores).toFloatArray();
    executor.backward(model.loss);
    assertThat(trained).isNotEqualTo(first);
    assertThat(executor.tensor(model.scores).toFloatArray()).isNotEqualTo(trained);
  }

  /** One model in several executors at a time, each on a context and a thread of its own. */
  @Test
  void executorsRunSideBySide() throws Exception {
    ModelBuilder model = ModelBuilder.make();
    var expected = new ArrayList<float[]>();
    for (int seed = 0; seed < 4; seed++) {
      expected.add(model.train(model.executor(CTX, seed), 5));
    }
    try (var threads = Executors.newFixedThreadPool(4)) {
      var tasks = new ArrayList<Callable<float[]>>();
      for (int k = 0; k < 4; k++) {
        int seed = k;
        tasks.add(() -> {
          try (var ctx = Context.open()) {
            return model.train(model.executor(ctx, seed), 5);
          }
        });
      }
      List<Future<float[]>> results = threads.invokeAll(tasks);
      for (int k = 0; k < 4; k++) {
        assertThat(results.get(k).get()).isEqualTo(expected.get(k));
      }
    }
  }

  /** Two executors on one context take turns. */
  @Test
  void executorsTakeTurns() {
    ModelBuilder model = ModelBuilder.make();
    float[] alone = model.train(model.executor(CTX, 1), 6);
    Executor first = model.executor(CTX, 1);
    Executor second = model.executor(CTX, 2);
    Optimizer optimizer = Optimizer.adam(0.01);
    for (int k = 0; k < 6; k++) {
      first.step(model.loss, optimizer);
      second.step(model.loss, optimizer);
      second.forward();
    }
    first.forward();
    assertThat(first.tensor(model.scores).toFloatArray()).isEqualTo(alone);
  }

  /** One encoder of two inputs: the gradient of its weights is the sum of both. */
  @Test
  void sharedPartsHaveTheirParametersOnce() {
    Variable<F64> a = Variable.input("a", F64, -1, 3);
    Variable<F64> b = Variable.input("b", F64, -1, 3);
    var encoder = Shared.of((Variable<F64> v) -> batchNorm("norm", tanh(dense("encoder", v, 4))));
    Variable<F64> loss = sum(square(encoder.of(a).minus(encoder.of(b).times(2))));
    var executor = new Executor(CTX, 3, loss);
    assertThat(executor.parameters())
        .extracting(Variable::name)
        .containsExactly("encoder.weight", "encoder.bias", "norm.weight", "norm.bias");
    executor.set(a, normal(F64, 3, 5, 3));
    executor.set(b, normal(F64, 4, 5, 3));
    GradientCheck.of(CTX, executor, loss);
    Variable<F64> wide = Variable.input("wide", F64, -1, 7);
    assertThatThrownBy(() -> encoder.of(wide))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[shared] a shared part must have the same parameters for each of its inputs; got"
                + " encoder.weight f64[3,4] before and f64[7,4] now; apply it to inputs of the same"
                + " width.");
  }

  @Test
  void equalNamesAreNoSeparateWeights() {
    Variable<F64> a = Variable.input("a", F64, -1, 3);
    Variable<F64> b = Variable.input("b", F64, -1, 3);
    Variable<F64> loss = sum(dense("same", a, 4).plus(dense("same", b, 4)));
    assertThatThrownBy(() -> new Executor(CTX, loss))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[executor] parameters and states must have unique names; got same.weight f64[3,4] and"
                + " same.weight f64[3,4]; rename one, or apply one layer or part twice to"
                + " share its parameters: var layer = new Dense(\"name\", 64) or var layer ="
                + " Shared.of(v -> ...); layer.of(a); layer.of(b).");
  }

  @Test
  void partsWithinPartsAreSharedToo() {
    Variable<F64> a = Variable.input("a", F64, -1, 3);
    Variable<F64> b = Variable.input("b", F64, -1, 3);
    var outer =
        Shared.of((Variable<F64> v) -> {
          var inner = Shared.of((Variable<F64> u) -> dense("inner", u, 3));
          return inner.of(inner.of(v));
        });
    var executor = new Executor(CTX, sum(outer.of(a).plus(outer.of(b))));
    assertThat(executor.parameters().stream().map(Variable::name))
        .containsExactlyInAnyOrder("inner.weight", "inner.bias");
  }
}
