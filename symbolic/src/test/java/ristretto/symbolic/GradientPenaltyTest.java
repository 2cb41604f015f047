package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.gradient;
import static ristretto.expr.Ops.uniform;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.LayersTest;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.onnx.OnnxException;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.run.Graph;

/** Formulas that take gradients across operators, and are trained. */
class GradientPenaltyTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  static Stream<LayersTest.Case> layers() {
    return LayersTest.cases();
  }

  /** The squared length of a gradient of {@code y} by {@code x}. */
  private static Variable<F64> penalty(Variable<F64> y, Variable<F64> x) {
    return Layers.apply(
        "penalty",
        F64,
        v -> {
          Expr<F64> loss = Ops.sum(Ops.sin(v.get(y)).plus(Ops.square(v.get(y))));
          return Ops.sum(Ops.square(gradient(loss, v.get(x))));
        },
        y,
        x);
  }

  /** With whatever outputs, the penalty's slopes are those of differences. */
  private static void check(
      Variable<F64> y, Variable<F64> x, java.util.function.Consumer<Executor> inputs) {
    Variable<F64> penalty = penalty(y, x);
    var all = new LinkedHashSet<Variable<?>>(List.of(penalty));
    new Graph(List.of(penalty)).operators.forEach(op -> all.addAll(op.outputs()));
    List<double[]> first = null;
    for (List<Variable<?>> outputs :
        List.<List<Variable<?>>>of(List.of(penalty), List.of(y, penalty), List.copyOf(all))) {
      var executor = new Executor(CTX, 3, outputs.toArray(Variable<?>[]::new));
      inputs.accept(executor);
      executor.backward(penalty);
      double trained = executor.tensor(penalty).item();
      assertThat(trained).isNotZero();
      var gradients = new ArrayList<double[]>();
      for (Variable<?> p : executor.parameters()) {
        gradients.add(executor.gradientOf(p).as(F64).toDoubleArray());
      }
      if (first == null) {
        first = gradients;
        GradientCheck.of(CTX, executor, penalty);
      }
      for (int k = 0; k < first.size(); k++) {
        assertThat(gradients.get(k)).containsExactly(first.get(k), within(1e-9));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("layers")
  void slopesOfEveryLayer(LayersTest.Case c) {
    long[] unknown = c.shape().clone();
    unknown[0] = -1;
    Variable<F64> x = Variable.input("x", F64, unknown);
    long[] one = c.shape().clone();
    one[0] = 1;
    Variable<F64> shift = Variable.parameter("shift", F64, Initializer.normal(1), one);
    Variable<F64> y = c.layer().apply(x.plus(shift));
    check(y, x, e -> e.set(x, uniform(F64, 3, c.shape()).minus(0.3).times(2)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tanh", "relu", "lstm", "gru"})
  void slopesOfRecurrentLayers(String name) {
    Cell cell =
        switch (name) {
          case "tanh" -> Cell.tanh();
          case "relu" -> Cell.relu();
          case "lstm" -> Cell.lstm();
          default -> Cell.gru();
        };
    Variable<F64> x = Variable.input("x", F64, -1, -1, 3);
    Variable<I32> lengths = Variable.input("lengths", I32, -1);
    for (Recurrent r :
        List.of(
            Recurrent.of(cell, 2),
            Recurrent.of(cell, 2).layers(2).bidirectional().lengths(lengths))) {
      Recurrent.Result<F64> result = r.over("r", x, List.of());
      Variable<F64> y =
          Layers.sum(Layers.square(result.outputs()), 0).plus(Layers.sum(result.last().get(0)));
      check(
          y,
          x,
          e -> {
            e.set(x, uniform(F64, 3, 4, 2, 3).minus(0.3).times(2));
            if (e.inputs().contains(lengths)) {
              e.set(lengths, CTX.tensor(new int[] {4, 2}, 2));
            }
          });
    }
  }

  /** The slope is by an output of another operator, as in adversarial training of words. */
  @Test
  void slopesByWhatOperatorsYield() {
    Variable<I32> words = Variable.input("words", I32, -1);
    Variable<F64> table = Variable.parameter("table", F64, Initializer.normal(1), 5, 4);
    Variable<F64> rows =
        Layers.apply("rows", F64, v -> Ops.take(v.get(table), v.get(words), 0), table, words);
    Variable<F64> y = Layers.dense("d2", Layers.tanh(Layers.dense("d1", rows, 6)), 2);
    check(y, rows, e -> e.set(words, CTX.tensor(new int[] {1, 3, 1}, 3)));
  }

  /** Wasserstein critics (Gulrajani et al., 2017), beside the same in one formula. */
  @Test
  void penaltiesOfCritics() {
    Variable<F32> x = Variable.input("x", F32, -1, 3);
    Variable<F32> w1 = Variable.parameter("w1", F32, Initializer.normal(1), 3, 8);
    Variable<F32> b1 = Variable.parameter("b1", F32, Initializer.normal(1), 8);
    Variable<F32> w2 = Variable.parameter("w2", F32, Initializer.normal(1), 8, 1);
    Variable<F32> b2 = Variable.parameter("b2", F32, Initializer.normal(1), 1);
    Variable<F32> d = Layers.dense("out", Layers.tanh(Layers.dense("in", x, w1, b1)), w2, b2);
    Variable<F32> across =
        Layers.apply("penalty", F32, v -> length(gradient(Ops.sum(v.get(d)), v.get(x))), d, x);
    Variable<F32> within =
        Layers.apply(
            "same",
            F32,
            v -> {
              Expr<F32> h = Ops.tanh(Ops.dot(v.get(x), v.get(w1)).plus(v.get(b1)));
              Expr<F32> y = Ops.dot(h, v.get(w2)).plus(v.get(b2));
              return length(gradient(Ops.sum(y), v.get(x)));
            },
            x,
            w1,
            b1,
            w2,
            b2);
    var executor = new Executor(CTX, 9, across, within);
    executor.set(x, uniform(F32, 1, 16, 3));
    executor.forward();
    double used = executor.tensor(across).item();
    executor.backward(within);
    float[] wanted = executor.gradientOf(w1).toFloatArray();
    assertThat(wanted).doesNotContain(0);
    executor.backward(across);
    assertThat(used).isNotZero().isEqualTo(executor.tensor(across).item());
    assertThat(used).isCloseTo(executor.tensor(within).item(), within(1e-6));
    assertThat(executor.gradientOf(w1).toFloatArray()).containsExactly(wanted, within(1e-5f));
    assertThat(executor.gradientOf(b2).item()).isZero();
  }

  private static Expr<F32> length(Expr<F32> slope) {
    return Ops.mean(Ops.square(Ops.sqrt(Ops.sum(Ops.square(slope), 1)).minus(1)));
  }

  /** {@code u'' + u = 0} as in physics-informed networks: a gradient of a gradient, trained. */
  @Test
  void residualsOfEquations() {
    Variable<F64> t = Variable.input("t", F64, -1, 1);
    Variable<F64> u =
        Layers.dense(
            "d3", Layers.tanh(Layers.dense("d2", Layers.tanh(Layers.dense("d1", t, 8)), 8)), 1);
    Variable<F64> slope =
        Layers.apply("slope", F64, v -> gradient(Ops.sum(v.get(u)), v.get(t)), u, t);
    Variable<F64> residual =
        Layers.apply(
            "residual",
            F64,
            v -> {
              Expr<F64> first = gradient(Ops.sum(v.get(u)), v.get(t));
              Expr<F64> second = gradient(Ops.sum(first), v.get(t));
              return Ops.mean(Ops.square(second.plus(v.get(u))));
            },
            u,
            t);
    // The same in two steps, each a variable.
    Variable<F64> nested =
        Layers.apply(
            "nested",
            F64,
            v -> Ops.mean(Ops.square(gradient(Ops.sum(v.get(slope)), v.get(t)).plus(v.get(u)))),
            slope,
            u,
            t);
    for (Variable<F64> loss : List.of(residual, nested)) {
      var executor = new Executor(CTX, 4, loss);
      executor.set(t, uniform(F64, 1, 7, 1).times(3));
      executor.backward(loss);
      GradientCheck.of(CTX, executor, loss);
      double before = executor.tensor(loss).item();
      Optimizer adam = Optimizer.adam(0.01);
      for (int k = 0; k < 100; k++) {
        executor.step(loss, adam);
      }
      executor.forward();
      assertThat(executor.tensor(loss).item()).isLessThan(before / 4);
    }
    var both = new Executor(CTX, 4, residual, nested, slope, u);
    Tensor<F64> times = CTX.eval(uniform(F64, 1, 7, 1).times(3));
    both.set(t, times);
    both.forward();
    assertThat(both.tensor(residual).item()).isCloseTo(both.tensor(nested).item(), within(1e-12));
  }

  /** An operator with a backward pass of its own, which is the gradient that counts. */
  private static final class Straight extends Operator {
    private final Variable<F64> v;
    private final Variable<F64> y;
    private final boolean workspace;

    Straight(Variable<F64> v, boolean workspace) {
      super("straight", List.of(v));
      this.v = v;
      this.workspace = workspace;
      this.y = output(F64, v.dims());
    }

    @Override
    protected void forward(OperatorContext x) {
      x.assign(y, Ops.round(x.get(v)));
    }

    @Override
    protected void backward(OperatorContext x) {
      Expr<F64> dy = x.gradient(y).times(x.get(v));
      if (workspace) {
        Tensor<F64> dx = x.workspace("dx", F64, dy.shape().toArray());
        x.write(dx, dy);
        dy = dx;
      }
      x.addGradient(v, dy);
    }
  }

  @Test
  void slopesOfOperatorsOfOnesOwn() {
    Variable<F64> w = Variable.parameter("w", F64, Initializer.constant(1.5), 2);
    Variable<F64> y = new Straight(w, false).y;
    // y = round(w), its slope w: the penalty is (3 w)^2, whose slope is 18 w.
    Variable<F64> penalty =
        Layers.apply(
            "penalty",
            F64,
            v -> Ops.sum(Ops.square(gradient(Ops.sum(v.get(y).times(3)), v.get(w)))),
            y,
            w);
    var executor = new Executor(CTX, y, penalty);
    executor.backward(penalty);
    assertThat(executor.tensor(y).toDoubleArray()).containsExactly(2, 2);
    assertThat(executor.tensor(penalty).item()).isEqualTo(2 * 4.5 * 4.5);
    assertThat(executor.gradientOf(w).toDoubleArray()).containsExactly(27, 27);
  }

  @Test
  void messages() {
    Variable<F64> w = Variable.parameter("w", F64, Initializer.constant(1.5), 2);
    Variable<F64> other = Variable.input("other", F64, -1);
    Variable<F64> y = new Straight(w, true).y;
    Variable<F64> penalty =
        Layers.apply("penalty", F64, v -> gradient(Ops.sum(v.get(y)), v.get(w)), y, w);
    assertThatThrownBy(() -> new Executor(CTX, penalty).forward())
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradient] the backward pass of an operator that a gradient is taken through must be"
                + " made of expressions; got workspace \"dx\" in straight; make the operator with"
                + " Layers.apply, or its backward pass without a workspace.");
    assertThatThrownBy(() ->
            Layers.apply("apart", F64, v -> gradient(Ops.sum(v.get(y)), v.get(other)), y, other))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[apart] the inputs must fit the operator; got straight f64[2], other f64[?]:"
                + " [gradient] y must be computed from the same object that is passed as the input;"
                + " got y f64[], which never reads the f64[?]; keep the input of y in a Java"
                + " variable and pass that, or use gradientOrZero if zeros are intended.");
    assertThatThrownBy(() ->
            new Executor(CTX, penalty)
                .exportOnnx(java.nio.file.Path.of("target", "penalty.onnx"), penalty))
        .isInstanceOf(OnnxException.class)
        .hasMessageContaining("[onnx]");
  }
}
