package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.BOOL;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.Attention;

class MultiHeadAttentionTest {
  private static final Context CTX = Context.open();
  private static final int BATCH = 2;
  private static final int WIDTH = 12;

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Attention in plain loops. */
  private static final class Oracle {
    final Executor executor;
    final int heads;
    final int groups;
    final double rotary;

    Oracle(Executor executor, int heads, int groups, double rotary) {
      this.executor = executor;
      this.heads = heads;
      this.groups = groups;
      this.rotary = rotary;
    }

    private double[] parameter(String name) {
      return executor.parameters().stream()
          .filter(v -> v.name().equals(name))
          .findFirst()
          .map(v -> executor.tensor(v).toDoubleArray())
          .orElse(null);
    }

    private double[][] project(String part, double[][] x) {
      double[] w = parameter("a." + part + ".weight");
      double[] b = parameter("a." + part + ".bias");
      int out = w.length / x[0].length;
      var y = new double[x.length][out];
      for (int r = 0; r < x.length; r++) {
        for (int o = 0; o < out; o++) {
          y[r][o] = b == null ? 0 : b[o];
          for (int i = 0; i < x[r].length; i++) {
            y[r][o] += x[r][i] * w[i * out + o];
          }
        }
      }
      return y;
    }

    private double[] head(double[] row, int head, int time) {
      int d = WIDTH / heads;
      var part = new double[d];
      System.arraycopy(row, head * d, part, 0, d);
      if (rotary > 0) {
        for (int i = 0; i < d / 2; i++) {
          double angle = time * Math.pow(rotary, -2.0 * i / d);
          double first = part[i];
          double second = part[i + d / 2];
          part[i] = first * Math.cos(angle) - second * Math.sin(angle);
          part[i + d / 2] = second * Math.cos(angle) + first * Math.sin(angle);
        }
      }
      return part;
    }

    /** Rows of one sequence. */
    double[][] of(double[][] from, double[][] to, IntBinaryOperator[] seen) {
      double[][] q = project("query", from);
      double[][] k = project("key", to);
      double[][] v = project("value", to);
      int d = WIDTH / heads;
      var joined = new double[from.length][WIDTH];
      for (int h = 0; h < heads; h++) {
        int g = h / (heads / groups);
        for (int m = 0; m < from.length; m++) {
          var weights = new double[to.length];
          double sum = 0;
          for (int n = 0; n < to.length; n++) {
            double[] a = head(q[m], h, m);
            double[] b = head(k[n], g, n);
            double dot = 0;
            for (int i = 0; i < d; i++) {
              dot += a[i] * b[i];
            }
            weights[n] = seen[h].applyAsInt(m, n) == 0 ? 0 : Math.exp(dot / Math.sqrt(d));
            sum += weights[n];
          }
          for (int n = 0; n < to.length && sum > 0; n++) {
            for (int i = 0; i < d; i++) {
              joined[m][h * d + i] += weights[n] / sum * v[n][g * d + i];
            }
          }
        }
      }
      return project("output", joined);
    }
  }

  private static double[][] rows(double[] all, int sequence, int steps, int width) {
    var rows = new double[steps][width];
    for (int t = 0; t < steps; t++) {
      System.arraycopy(all, (sequence * steps + t) * width, rows[t], 0, width);
    }
    return rows;
  }

  private static IntBinaryOperator[] everywhere(int heads, IntBinaryOperator seen) {
    var all = new IntBinaryOperator[heads];
    Arrays.fill(all, seen);
    return all;
  }

  private static MultiHeadAttention layer(int heads, int groups, boolean causal, boolean rotary) {
    var layer =
        new MultiHeadAttention("a", heads).keyValueHeads(groups).weight(Initializer.normal(0.4));
    MultiHeadAttention seeing = causal ? layer.causal() : layer.bias(false);
    return rotary ? seeing.rotary(100) : seeing;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, false, false, 1",
    "3, 3, true, false, 5",
    "6, 2, true, true, 7",
    "6, 1, false, true, 4",
    "2, 2, false, true, 3"
  })
  void equalsPlainLoops(int heads, int groups, boolean causal, boolean rotary, int steps) {
    Variable<F64> x = Variable.input("x", F64, -1, -1, WIDTH);
    Variable<F64> y = layer(heads, groups, causal, rotary).of(x);
    var executor = new Executor(CTX, 3, y);
    double[] values = CTX.eval(Ops.uniform(F64, 5, BATCH, steps, WIDTH)).toDoubleArray();
    executor.set(x, CTX.tensor(values, BATCH, steps, WIDTH));
    executor.forward();
    var oracle = new Oracle(executor, heads, groups, rotary ? 100 : 0);
    double[] got = executor.tensor(y).toDoubleArray();
    for (int s = 0; s < BATCH; s++) {
      double[][] own = rows(values, s, steps, WIDTH);
      double[][] expected =
          oracle.of(own, own, everywhere(heads, (m, n) -> causal && n > m ? 0 : 1));
      double[][] actual = rows(got, s, steps, WIDTH);
      for (int t = 0; t < steps; t++) {
        assertThat(actual[t]).containsExactly(expected[t], within(1e-9));
      }
    }
  }

  /** Masks of all ranks mean the same rows; also a row that sees nothing. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void masksOfAllRanks(int rank) {
    int m = 4;
    int n = 5;
    int heads = 3;
    Variable<F64> from = Variable.input("from", F64, -1, -1, WIDTH);
    Variable<F64> to = Variable.input("to", F64, -1, -1, 7);
    Variable<BOOL> mask =
        rank == 2
            ? Variable.input("mask", BOOL, -1, -1)
            : rank == 3
                ? Variable.input("mask", BOOL, -1, -1, -1)
                : Variable.input("mask", BOOL, -1, -1, -1, -1);
    Variable<F64> y = layer(heads, heads, false, false).of(from, to, mask);
    var executor = new Executor(CTX, 4, y);
    double[] queries = CTX.eval(Ops.uniform(F64, 5, BATCH, m, WIDTH)).toDoubleArray();
    double[] keys = CTX.eval(Ops.uniform(F64, 6, BATCH, n, 7)).toDoubleArray();
    long[] dims =
        rank == 2
            ? new long[] {m, n}
            : rank == 3 ? new long[] {BATCH, m, n} : new long[] {BATCH, heads, m, n};
    int size = 1;
    for (long d : dims) {
      size *= (int) d;
    }
    var seen = new boolean[size];
    for (int k = 0; k < size; k++) {
      seen[k] = k % 3 != 1 && (k / n) % m != 2;
    }
    executor.set(from, CTX.tensor(queries, BATCH, m, WIDTH));
    executor.set(to, CTX.tensor(keys, BATCH, n, 7));
    executor.set(mask, CTX.tensor(seen, dims));
    executor.forward();
    var oracle = new Oracle(executor, heads, heads, 0);
    double[] got = executor.tensor(y).toDoubleArray();
    for (int s = 0; s < BATCH; s++) {
      int sequence = s;
      var byHead = new IntBinaryOperator[heads];
      for (int h = 0; h < heads; h++) {
        int head = h;
        byHead[h] =
            (a, b) -> {
              int plane = rank == 2 ? 0 : rank == 3 ? sequence : sequence * heads + head;
              return seen[(plane * m + a) * n + b] ? 1 : 0;
            };
      }
      double[][] expected = oracle.of(rows(queries, s, m, WIDTH), rows(keys, s, n, 7), byHead);
      double[][] actual = rows(got, s, m, WIDTH);
      for (int t = 0; t < m; t++) {
        assertThat(actual[t]).containsExactly(expected[t], within(1e-9));
      }
    }
  }

  /** Two steps at once, then one at a time, as one forward pass over all of them. */
  @ParameterizedTest
  @CsvSource({"3, 3, false", "6, 2, true"})
  void stepsWithACacheEqualAForwardPass(int heads, int groups, boolean rotary) {
    int steps = 6;
    var layer = layer(heads, groups, true, rotary);
    Variable<F64> x = Variable.input("x", F64, -1, -1, WIDTH);
    Variable<F64> whole = layer.of(x);
    var executor = new Executor(CTX, 9, whole);
    Variable<F64> fresh = Variable.input("fresh", F64, BATCH, -1, WIDTH);
    Variable<I32> position = Variable.input("position", I32, 1);
    MultiHeadAttention.Step<F64> step = layer.step(fresh, position, 8);
    Executor writer = executor.sharing(step.output(), step.next().get(0), step.next().get(1));
    double[] values = CTX.eval(Ops.uniform(F64, 5, BATCH, steps, WIDTH)).toDoubleArray();
    var all = CTX.tensor(values, BATCH, steps, WIDTH);
    executor.set(x, all);
    executor.forward();
    var expected = executor.tensor(whole);
    step.cache().forEach(in -> writer.set(in, CTX.zeros(F64, in.dims().shape().toArray())));
    for (int at = 0; at < steps; at += at == 0 ? 2 : 1) {
      long end = at == 0 ? 2 : at + 1;
      writer.set(fresh, all.slice(Ops.all(), Ops.range(at, end)));
      writer.set(position, CTX.tensor(new int[] {at}));
      writer.forward();
      assertThat(writer.tensor(step.output()).toDoubleArray())
          .containsExactly(
              CTX.eval(expected.slice(Ops.all(), Ops.range(at, end)).plus(0)).toDoubleArray(),
              within(1e-12));
      for (int k = 0; k < 2; k++) {
        writer.set(step.cache().get(k), writer.tensor(step.next().get(k)));
      }
    }
  }

  @Test
  void cachesThatAreFull() {
    Variable<F64> x = Variable.input("x", F64, BATCH, -1, WIDTH);
    Variable<I32> position = Variable.input("position", I32, 1);
    var step = layer(3, 3, true, false).step(x, position, 8);
    var executor = new Executor(CTX, 9, step.output(), step.next().get(0), step.next().get(1));
    step.cache().forEach(in -> executor.set(in, CTX.zeros(F64, in.dims().shape().toArray())));
    executor.set(x, Ops.uniform(F64, 5, BATCH, 2, WIDTH));
    executor.set(position, CTX.tensor(new int[] {6}));
    executor.forward();
    for (int at : new int[] {7, -1}) {
      executor.set(position, CTX.tensor(new int[] {at}));
      assertThatThrownBy(executor::forward)
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[a] the cache must have room for the new steps; got position %s and 2 new steps for"
                  + " a cache of 8; make the cache longer, or begin again.",
              at);
    }
    executor.set(x, Ops.uniform(F64, 5, BATCH, 9, WIDTH));
    executor.set(position, CTX.tensor(new int[] {0}));
    assertThatThrownBy(executor::forward)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[a] the cache must have room for the new steps; got position 0 and 9 new steps for a"
                + " cache of 8; make the cache longer, or begin again.");
  }

  /** The loss is the squared length of the gradient of the input, as in gradient penalties. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void gradientsOfSquaredGradients(boolean causal) {
    Variable<F64> x = Variable.input("x", F64, BATCH, 5, WIDTH);
    Variable<F64> y = Layers.sum(Layers.tanh(layer(6, 2, causal, true).of(x)));
    Variable<F64> slope = Layers.apply("slope", F64, v -> Ops.gradient(v.get(y), v.get(x)), y, x);
    Variable<F64> loss = Layers.sum(Layers.square(slope));
    var executor = new Executor(CTX, 8, loss);
    executor.set(x, Ops.uniform(F64, 5, BATCH, 5, WIDTH));
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void gradients() {
    Variable<F64> x = Variable.input("x", F64, -1, -1, WIDTH);
    Variable<F64> y = layer(6, 2, true, true).of(x);
    Variable<F64> loss = Layers.sum(y.times(y).times(y));
    var executor = new Executor(CTX, 8, loss);
    executor.set(x, Ops.uniform(F64, 5, BATCH, 5, WIDTH));
    GradientCheck.of(CTX, executor, loss);
  }

  /** Dropped weights have no gradient; without values of 0, each output is the sum of its row. */
  @Test
  void dropoutDropsWeightsInTrainingOnly() {
    int steps = 40;
    Variable<F64> q = Variable.parameter("q", F64, Initializer.normal(1), 2, 3, steps, 2);
    Variable<F64> v = Variable.parameter("v", F64, Initializer.ones(), 2, 3, steps, 2);
    Variable<F64> y = new Attention<>(q, q, v, Optional.empty(), false, 0.25).output();
    Variable<F64> loss = Layers.mean(y);
    var executor = new Executor(CTX, 4, y, loss);
    executor.forward();
    assertThat(executor.tensor(loss).item()).isCloseTo(1, within(1e-12));
    executor.backward(loss);
    double first = executor.tensor(loss).item();
    assertThat(first).isNotCloseTo(1, within(1e-9)).isCloseTo(1, within(0.1));
    double sum = CTX.eval(Ops.sum(executor.gradientOf(v))).item();
    assertThat(sum).isCloseTo(first, within(1e-12));
    executor.backward(loss);
    assertThat(executor.tensor(loss).item()).isNotEqualTo(first);
    var again = new Executor(CTX, 4, y, loss);
    again.forward();
    again.backward(loss);
    assertThat(again.tensor(loss).item()).isEqualTo(first);
  }

  /** Blocks of rows draw the numbers of the whole matrix, in the backward pass as well. */
  @ParameterizedTest
  @ValueSource(longs = {31, 389})
  void dropoutInBlocks(long steps) {
    Variable<F64> q = Variable.parameter("q", F64, Initializer.normal(1), 3, steps, 2);
    Variable<F64> v = Variable.parameter("v", F64, Initializer.normal(1), 3, steps, 2);
    Variable<F64> y = new Attention<>(q, q, v, Optional.empty(), true, 0.5).output();
    Variable<F64> loss = Layers.sum(Layers.square(y));
    Variable<F64> formula =
        Layers.apply("formula", F64, x -> Ops.gradient(x.get(loss), x.get(q)), loss, q);
    var executor = new Executor(CTX, 4, loss, formula);
    executor.backward(loss);
    double[] gradient = executor.gradientOf(q).toDoubleArray();
    assertThat(executor.tensor(formula).toDoubleArray()).containsExactly(gradient, within(1e-9));
  }

  @Test
  void applicationsShareParameters() {
    Variable<F64> x = Variable.input("x", F64, -1, -1, WIDTH);
    var layer = new MultiHeadAttention("a", 3);
    var executor = new Executor(CTX, layer.of(layer.of(x)));
    assertThat(executor.parameters()).hasSize(8);
    Variable<F64> narrow = Variable.input("narrow", F64, -1, -1, 6);
    assertThatThrownBy(() -> layer.of(narrow))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[a.query] each input of a layer must have the width and the dtype of its first input;"
                + " got narrow f64[?,?,6], which needs weight f64[6,12], but the first one made"
                + " a.query.weight f64[12,12]; create another layer for this input.");
    assertThatThrownBy(layer::causal)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[a] options must be set before the first application of a layer; got causal() after"
                + " it; set it where the layer is created.");
  }

  @Test
  void messages() {
    assertThatThrownBy(() -> new MultiHeadAttention("a", 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[a] attention must have at least one head; got 0.");
    assertThatThrownBy(() -> new MultiHeadAttention("a", 6).keyValueHeads(4))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[a] the heads of keys must divide those of queries; got 4 of 6.");
    assertThatThrownBy(() -> new MultiHeadAttention("a", 6).dropout(1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[dropout] the rate must be at least 0 and below 1; got 1.0.");
    Variable<F64> x = Variable.input("x", F64, -1, -1, WIDTH);
    Variable<I32> position = Variable.input("position", I32, 1);
    assertThatThrownBy(() -> new MultiHeadAttention("a", 6).step(x, position, 8))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[a] only causal attention can be applied step by step, with room for at least 1 step;"
                + " got two-way attention and 8; create the layer with causal().");
    Variable<BOOL> mask = Variable.input("mask", BOOL, -1);
    assertThatThrownBy(() -> new MultiHeadAttention("a", 6).masked(x, mask))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[a] a mask must be [m, n], [batch, m, n] or [batch, heads, m, n]; got mask bool[?];"
                + " true stands for rows that are seen.");
  }
}
