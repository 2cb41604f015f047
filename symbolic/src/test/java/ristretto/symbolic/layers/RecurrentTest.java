package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Recurrent layers beside plain loops, and their gradients beside differences. */
class RecurrentTest {
  private static final Context CTX = Context.open();

  /** More than a recording shows. */
  private static final int STEPS = 7;

  private static final int N = 3;
  private static final int IN = 4;
  private static final int HIDDEN = 2;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private record Case(
      String name,
      String cell,
      int layers,
      boolean bidirectional,
      boolean reverse,
      boolean lengths,
      boolean initial) {
    Cell make() {
      return switch (cell) {
        case "tanh" -> Cell.tanh();
        case "relu" -> Cell.relu();
        case "lstm" -> Cell.lstm();
        default -> Cell.gru();
      };
    }

    @Override
    public String toString() {
      return cell + " " + name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of("tanh", "relu", "lstm", "gru")
        .flatMap(cell ->
            Stream.of(
                new Case("alone", cell, 1, false, false, false, false),
                new Case("reverse", cell, 1, false, true, false, true),
                new Case("of several layers", cell, 2, false, false, false, true),
                new Case("in both directions", cell, 2, true, false, false, true),
                new Case("of several lengths", cell, 1, false, false, true, true),
                new Case("with everything", cell, 2, true, false, true, true)));
  }

  private final Variable<F64> v = Variable.input("v", F64, -1, -1, IN);
  private final Variable<I32> lengths = Variable.input("lengths", I32, -1);

  private Recurrent.Result<F64> network(Case c, List<Variable<F64>> initial) {
    Recurrent r = Recurrent.of(c.make(), HIDDEN).layers(c.layers);
    r = c.bidirectional ? r.bidirectional() : r;
    r = c.reverse ? r.reverse() : r;
    r = c.lengths ? r.lengths(lengths) : r;
    return r.over("net", v, initial);
  }

  /** The initial states are learned here, so that they have gradients. */
  private static List<Variable<F64>> initial(Case c) {
    var all = new ArrayList<Variable<F64>>();
    int layers = c.layers * (c.bidirectional ? 2 : 1);
    for (int k = 0; c.initial && k < (c.cell.equals("lstm") ? 2 : 1); k++) {
      all.add(Variable.parameter("initial" + k, F64, Initializer.normal(0.5), layers, N, HIDDEN));
    }
    return all;
  }

  private static final int[] LENGTHS = {5, 0, 3};

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithAPlainLoop(Case c) {
    List<Variable<F64>> initial = initial(c);
    Recurrent.Result<F64> r = network(c, initial);
    var outputs = new ArrayList<Variable<?>>(List.of(r.outputs()));
    outputs.addAll(r.last());
    var executor = new Executor(CTX, 7, outputs.toArray(Variable<?>[]::new));
    Tensor<F64> input = CTX.eval(normal(F64, 3, STEPS, N, IN));
    executor.set(v, input);
    if (c.lengths) {
      executor.set(lengths, CTX.tensor(LENGTHS, N));
    }
    executor.forward();
    var loop = new RecurrentLoop(executor, outputs, c.cell, HIDDEN, c.lengths ? LENGTHS : null);
    double[][][] x = RecurrentLoop.cube(input);
    var last = new ArrayList<double[][][]>();
    for (int layer = 0; layer < c.layers; layer++) {
      double[][][] forth =
          loop.layer("net." + layer, x, c.reverse, start(executor, initial, last.size()));
      last.add(loop.last());
      if (c.bidirectional) {
        double[][][] back =
            loop.layer("net." + layer + ".reverse", x, true, start(executor, initial, last.size()));
        last.add(loop.last());
        forth = RecurrentLoop.beside(forth, back);
      }
      x = forth;
    }
    assertThat(executor.tensor(r.outputs()).toDoubleArray())
        .containsExactly(RecurrentLoop.flat(x), within(1e-12));
    for (int k = 0; k < r.last().size(); k++) {
      int state = k;
      double[][][] expected = last.stream().map(s -> s[state]).toArray(double[][][]::new);
      assertThat(executor.tensor(r.last().get(k)).toDoubleArray())
          .containsExactly(RecurrentLoop.flat(expected), within(1e-12));
    }
  }

  private static double[][][] start(Executor executor, List<Variable<F64>> initial, int number) {
    var all = new double[2][N][HIDDEN];
    for (int k = 0; k < initial.size(); k++) {
      all[k] = RecurrentLoop.cube(executor.tensor(initial.get(k)))[number];
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void gradientsAgreeWithDifferences(Case c) {
    Variable<F64> shift = Variable.parameter("shift", F64, Initializer.normal(1), 1, 1, IN);
    Variable<F64> shifted = v.plus(shift);
    List<Variable<F64>> initial = initial(c);
    Recurrent r = Recurrent.of(c.make(), HIDDEN).layers(c.layers);
    r = c.bidirectional ? r.bidirectional() : r;
    r = c.reverse ? r.reverse() : r;
    r = c.lengths ? r.lengths(lengths) : r;
    Recurrent.Result<F64> result = r.over("net", shifted, initial);
    Variable<F64> y = result.outputs();
    Variable<F64> loss = Layers.sum(y.times(Layers.sigmoid(y)));
    for (Variable<F64> last : result.last()) {
      loss = loss.plus(Layers.sum(last.times(last)));
    }
    var executor = new Executor(CTX, 11, loss);
    executor.set(v, normal(F64, 3, STEPS, N, IN));
    if (c.lengths) {
      executor.set(lengths, CTX.tensor(LENGTHS, N));
    }
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void aStepIsOneProductAndOneKernel() {
    Variable<F64> loss = Layers.sum(Recurrent.of(Cell.lstm(), HIDDEN).over("net", v).outputs());
    var kernels = new long[2][2];
    for (int k = 0; k < 2; k++) {
      var executor = new Executor(CTX, loss);
      executor.set(v, normal(F64, 3, STEPS + k, N, IN));
      executor.backward(loss);
      kernels[k][0] = executor.explain().kernelCount();
      kernels[k][1] =
          executor.explain().kernels().stream().filter(name -> name.startsWith("gemm")).count();
    }
    assertThat(kernels[1][0] - kernels[0][0]).as(Arrays.deepToString(kernels)).isEqualTo(4);
    assertThat(kernels[1][1] - kernels[0][1]).isEqualTo(2);
  }

  /** The mask of steps within the lengths is part of the kernels of the steps. */
  @Test
  void masksOfLengthsAreNoKernelsOfTheirOwn() {
    var kernels = new ArrayList<Integer>();
    for (boolean ofLengths : new boolean[] {false, true}) {
      Recurrent r = Recurrent.of(Cell.lstm(), HIDDEN).layers(2).bidirectional();
      r = ofLengths ? r.lengths(lengths) : r;
      Variable<F64> loss = Layers.sum(r.over("net", v).outputs());
      var executor = new Executor(CTX, loss);
      executor.set(v, normal(F64, 3, STEPS, N, IN));
      executor.set(lengths, CTX.tensor(LENGTHS, N));
      executor.backward(loss);
      kernels.add(executor.explain().kernelCount());
    }
    // One more for each layer and direction would compute the mask.
    assertThat(kernels.get(1) - kernels.get(0)).isZero();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void stepsThatAreNotRecordedGiveTheSameBits(Case c) {
    var all = new ArrayList<List<String>>();
    for (Set<Optimization> without : List.of(Set.<Optimization>of(), Set.of(Optimization.REPEAT))) {
      List<Variable<F64>> initial = initial(c);
      Recurrent.Result<F64> result = network(c, initial);
      Variable<F64> loss = Layers.sum(result.outputs().times(result.outputs()));
      var executor = new Executor(CTX, 11, loss, result.outputs());
      executor.set(v, normal(F64, 3, 19, N, IN));
      if (c.lengths) {
        executor.set(lengths, CTX.tensor(new int[] {19, 2, 11}, N));
      }
      CTX.without(without);
      try {
        executor.backward(loss);
      } finally {
        CTX.without(Set.of());
      }
      var values = new ArrayList<String>();
      values.add(Arrays.toString(executor.tensor(result.outputs()).toDoubleArray()));
      executor
          .parameters()
          .forEach(
              p -> values.add(Arrays.toString(executor.gradientOf(p).as(F64).toDoubleArray())));
      values.add(executor.explain().kernelCount() + " kernels");
      all.add(values);
    }
    assertThat(all.get(0)).isEqualTo(all.get(1));
  }

  /** A cell that counts how often it is asked for the expressions of a step. */
  private static final class Counting extends Cell {
    int asked;

    Counting() {
      super(1, 1, false);
    }

    @Override
    protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
      asked++;
      return List.of(x.get(0).times(0.5));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void recordingLongSequencesIsAsMuchWorkAsShortOnes(boolean ofLengths) {
    var cell = new Counting();
    Recurrent r = Recurrent.of(cell, HIDDEN);
    r = ofLengths ? r.lengths(lengths) : r;
    Variable<F64> loss = Layers.sum(r.over("net", v).outputs());
    var executor = new Executor(CTX, loss);
    if (ofLengths) {
      executor.set(lengths, CTX.tensor(LENGTHS, N));
    }
    for (int steps : new int[] {8, 100}) {
      cell.asked = 0;
      executor.set(v, normal(F64, 3, steps, N, IN));
      executor.backward(loss);
      assertThat(cell.asked).as(steps + " steps").isEqualTo(8);
    }
  }

  @Test
  void otherLengthsReuseKernels() {
    Variable<F64> loss = Layers.sum(Recurrent.of(Cell.gru(), HIDDEN).over("net", v).outputs());
    var executor = new Executor(CTX, loss);
    executor.set(v, normal(F64, 3, 20, N, IN));
    executor.backward(loss);
    long misses = CTX.stats().cacheMisses();
    executor.set(v, normal(F64, 3, 24, N, IN));
    executor.backward(loss);
    assertThat(CTX.stats().cacheMisses() - misses).isLessThan(40);
  }

  @Test
  void lengthsMustBeWithinTheSteps() {
    Variable<F64> y = Recurrent.of(Cell.gru(), HIDDEN).lengths(lengths).over("net", v).outputs();
    var executor = new Executor(CTX, y);
    executor.set(v, normal(F64, 3, STEPS, N, IN));
    for (int bad : new int[] {-1, STEPS + 1}) {
      executor.set(lengths, CTX.tensor(new int[] {2, bad, 1}, N));
      for (int again = 0; again < 2; again++) {
        assertThatThrownBy(executor::forward)
            .isInstanceOf(ShapeException.class)
            .hasMessage(
                "[net.0] lengths must be from 0 to the number of steps; got "
                    + bad
                    + " for 7 steps in lengths i32[?]; cut the lengths, or pad the sequences.");
      }
      executor.set(lengths, CTX.tensor(new int[] {2, STEPS, 1}, N));
      executor.forward();
    }
  }

  @Test
  void messages() {
    for (double bad : new double[] {Double.NaN, -0.1, 1}) {
      assertThatThrownBy(() -> Recurrent.of(Cell.gru(), 3).dropout(bad))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[dropout] the rate must be at least 0 and below 1; got " + bad + ".");
      assertThatThrownBy(() -> Layers.huber(v, v, Math.min(bad, 0)))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[huber] delta must be above 0; got " + Math.min(bad, 0) + ".");
    }
    assertThatThrownBy(() -> Recurrent.of(Cell.gru(), 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[recurrent] a layer must have at least one output; got 0.");
    assertThatThrownBy(() -> Recurrent.of(Cell.gru(), 3).layers(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[recurrent] there must be at least one layer; got 0.");
    Variable<F64> flat = Variable.input("flat", F64, -1, 5);
    assertThatThrownBy(() -> Recurrent.of(Cell.gru(), 3).over("net", flat))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[net] the input must be [steps, n, in] with in known; got flat f64[?,5]; add the"
                + " missing axis, or declare its width.");
    assertThatThrownBy(() -> Recurrent.of(Cell.lstm(), 3).over("net", v, List.of(v)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[net] the number of initial states must be that of the cell's states; got 1 for 2.");
  }
}
