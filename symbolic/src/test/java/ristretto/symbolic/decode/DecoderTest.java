package ristretto.symbolic.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.normal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.optim.Optimizer;

class DecoderTest {
  private static final Context CTX = Context.open();
  private static final int N = 3;
  private static final int PLACES = 4;
  private static final int HIDDEN = 5;

  /** 0 marks the beginning, 1 the end. */
  private static final int SYMBOLS = 4;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static Tensor<I32> matrix(int[][] rows) {
    int[] flat = Arrays.stream(rows).flatMapToInt(Arrays::stream).toArray();
    return CTX.tensor(flat, rows.length, rows[0].length);
  }

  /** An encoder and a decoder. */
  private static final class ModelBuilder {
    final Variable<F64> x = Variable.input("x", F64, -1, -1, 3);
    final Variable<I32> lengths = Variable.input("lengths", I32, -1);
    final Variable<I32> before = Variable.input("before", I32, -1, -1);
    final Variable<I32> wanted = Variable.input("wanted", I32, -1, -1);
    final Decoder<F64> decoder;
    final Variable<F64> scores;
    final Variable<F64> loss;
    final Executor executor;

    ModelBuilder(String cell, boolean additive, boolean some, boolean states) {
      Recurrent network =
          Recurrent.of(cell.equals("lstm") ? Cell.lstm() : Cell.gru(), HIDDEN).layers(2);
      var read = (some ? network.lengths(lengths) : network).over("read", x);
      Decoder.Unread unread =
          Decoder.of("write", cell.equals("lstm") ? Cell.lstm() : Cell.gru(), HIDDEN, SYMBOLS)
              .layers(2)
              .width(3);
      unread = additive ? unread.additive() : unread;
      List<Variable<F64>> first = states ? read.last() : List.of();
      decoder =
          some
              ? unread.reading(read.outputs(), lengths, first)
              : unread.reading(read.outputs(), first);
      scores = decoder.scores(before);
      loss = Layers.softmaxCrossEntropy(scores, wanted);
      executor = new Executor(CTX, 7, scores, loss);
      give(executor, some);
    }

    void give(Executor to, boolean some) {
      to.set(x, normal(F64, 2, PLACES, N, 3));
      if (some) {
        to.set(lengths, CTX.tensor(new int[] {4, 1, 3}));
      }
    }

    /** The logarithm of the probability of a line, when it is given. */
    double[] likelihoods(List<int[]> lines, boolean ended) {
      int steps = lines.stream().mapToInt(line -> line.length).max().orElse(0) + (ended ? 1 : 0);
      int[][] given = new int[N][steps];
      for (int k = 0; k < N; k++) {
        for (int t = 1; t < steps && t <= lines.get(k).length; t++) {
          given[k][t] = lines.get(k)[t - 1];
        }
      }
      executor.set(before, matrix(given));
      executor.set(wanted, CTX.zeros(I32, N, steps));
      executor.forward();
      double[] all = CTX.eval(Ops.logSoftmax(executor.tensor(scores), 2)).toDoubleArray();
      double[] sums = new double[N];
      for (int k = 0; k < N; k++) {
        int[] line = lines.get(k);
        for (int t = 0; t < line.length + (ended ? 1 : 0); t++) {
          int symbol = t == line.length ? 1 : line[t];
          sums[k] += all[(k * steps + t) * SYMBOLS + symbol];
        }
      }
      return sums;
    }
  }

  @ParameterizedTest
  @CsvSource({"gru,false,false,true", "lstm,false,true,true", "gru,true,true,false"})
  void gradientsAgreeWithDifferences(String cell, boolean additive, boolean some, boolean states) {
    var model = new ModelBuilder(cell, additive, some, states);
    model.executor.set(model.before, matrix(new int[][] {{0, 2, 3}, {0, 3, 1}, {0, 1, 1}}));
    model.executor.set(model.wanted, matrix(new int[][] {{2, 3, 1}, {3, 1, 1}, {1, 1, 1}}));
    assertThat(model.scores.dims()).isEqualTo(Dims.of(-1, -1, SYMBOLS));
    GradientCheck.of(CTX, model.executor, model.loss);
  }

  /** Each symbol that is written alone is the likeliest when those before it are given. */
  @ParameterizedTest
  @CsvSource({"gru,false,false,true", "lstm,false,true,true", "gru,true,true,false"})
  void writingAloneIsWritingAsGiven(String cell, boolean additive, boolean some, boolean states) {
    var model = new ModelBuilder(cell, additive, some, states);
    Decoding<F64> use = model.decoder.use(model.executor);
    model.give(use.reader(), some);
    int steps = 6;
    List<int[]> written = use.greedy(0, -1, steps);
    var given = new int[N][steps];
    for (int k = 0; k < N; k++) {
      assertThat(written.get(k)).hasSize(steps);
      System.arraycopy(written.get(k), 0, given[k], 1, steps - 1);
    }
    model.executor.set(model.before, matrix(given));
    model.executor.set(model.wanted, CTX.zeros(I32, N, steps));
    model.executor.forward();
    long[] best = CTX.eval(Ops.argMax(model.executor.tensor(model.scores), 2)).toLongArray();
    for (int k = 0; k < N; k++) {
      for (int t = 0; t < steps; t++) {
        assertThat(best[k * steps + t]).isEqualTo(written.get(k)[t]);
      }
    }
  }

  /** A beam that holds all lines finds the likeliest of all. */
  @ParameterizedTest
  @CsvSource({"-1", "1"})
  void wideBeamsFindTheLikeliest(int stop) {
    var model = new ModelBuilder("gru", false, true, true);
    Decoding<F64> use = model.decoder.use(model.executor);
    model.give(use.reader(), true);
    int steps = 3;
    double[] best = {-1e9, -1e9, -1e9};
    for (int[] line : lines(steps, stop)) {
      double[] score = model.likelihoods(List.of(line, line, line), line.length < steps);
      for (int k = 0; k < N; k++) {
        best[k] = Math.max(best[k], score[k]);
      }
    }
    List<int[]> beam = use.beam(100, 0, stop, steps);
    for (int k = 0; k < N; k++) {
      int[] line = beam.get(k);
      double score = model.likelihoods(List.of(line, line, line), line.length < steps)[k];
      assertThat(score).isCloseTo(best[k], within(1e-9));
    }
    List<int[]> greedy = use.greedy(0, stop, steps);
    List<int[]> two = use.beam(2, 0, stop, steps);
    for (int k = 0; k < N; k++) {
      assertThat(greedy.get(k)).doesNotContain(stop);
      assertThat(two.get(k)).doesNotContain(stop);
    }
  }

  /** All lines of so many symbols, or ended before. */
  private static List<int[]> lines(int steps, int stop) {
    var all = new ArrayList<int[]>();
    grow(new int[0], steps, stop, all);
    return all;
  }

  private static void grow(int[] line, int steps, int stop, List<int[]> all) {
    if (line.length == steps) {
      all.add(line);
      return;
    }
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
      if (symbol == stop) {
        all.add(line);
      } else {
        int[] longer = Arrays.copyOf(line, line.length + 1);
        longer[line.length] = symbol;
        grow(longer, steps, stop, all);
      }
    }
  }

  /** Learns to write backwards what it reads, and sees at once what is learned. */
  @Test
  void itLearns() {
    var x = Variable.input("x", I32, -1, -1);
    var before = Variable.input("before", I32, -1, -1);
    var wanted = Variable.input("wanted", I32, -1, -1);
    Variable<F64> table = Variable.parameter("table", F64, Initializer.normal(1), 6, 8);
    Variable<F64> vectors =
        Layers.apply("vectors", F64, v -> Ops.take(v.get(table), v.get(x), 0), table, x);
    var read = Recurrent.of(Cell.gru(), 24).over("read", vectors);
    Decoder<F64> decoder =
        Decoder.of("write", Cell.gru(), 24, 7).reading(read.outputs(), read.last());
    Variable<F64> loss = Layers.softmaxCrossEntropy(decoder.scores(before), wanted);
    var executor = new Executor(CTX, 1, loss);
    Decoding<F64> use = decoder.use(executor);
    var random = new SplittableRandom(1);
    Optimizer optimizer = Optimizer.adam(0.01);
    int length = 4;
    for (int step = 0; step < 250; step++) {
      int[][] lines = new int[32][];
      Arrays.setAll(lines, _ -> random.ints(length, 0, 6).toArray());
      give(executor, x, before, wanted, lines);
      executor.step(loss, optimizer);
    }
    int[][] lines = {{0, 1, 2, 3}, {5, 5, 4, 0}, {2, 4, 2, 4}};
    use.reader().set(x, matrix(lines).t());
    List<int[]> written = use.beam(3, 6, -1, length);
    for (int k = 0; k < lines.length; k++) {
      int[] line = lines[k];
      assertThat(written.get(k)).containsExactly(line[3], line[2], line[1], line[0]);
    }
  }

  private static void give(
      Executor executor,
      Variable<I32> x,
      Variable<I32> before,
      Variable<I32> wanted,
      int[]... lines) {
    int[][] given = new int[lines.length][lines[0].length];
    int[][] backwards = new int[lines.length][lines[0].length];
    for (int k = 0; k < lines.length; k++) {
      int n = lines[k].length;
      for (int t = 0; t < n; t++) {
        backwards[k][t] = lines[k][n - 1 - t];
        given[k][t] = t == 0 ? 6 : backwards[k][t - 1];
      }
    }
    executor.set(x, matrix(lines).t());
    executor.set(before, matrix(given));
    executor.set(wanted, matrix(backwards));
  }

  @Test
  void messages() {
    Variable<F64> flat = Variable.input("flat", F64, -1, 5);
    assertThatThrownBy(() -> Decoder.of("d", Cell.gru(), 3, 4).reading(flat, List.of()))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[d] the attended memory must be [places, n, width] with a known width; got flat"
                + " f64[?,5].");
    assertThatThrownBy(() -> Decoder.of("d", Cell.gru(), 3, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[d] there must be at least one output symbol; got 0.");
    var model = new ModelBuilder("gru", false, false, true);
    Decoding<F64> use = model.decoder.use(model.executor);
    assertThatThrownBy(() -> use.beam(0, 0, 1, 5))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[beam] the beam width must be at least 1; got 0.");
  }

  @Test
  void executorsThatShareAreForUse() {
    Variable<F64> x = Variable.input("x", F64, -1, 2);
    Variable<F64> y = Layers.dense("one", x, 3);
    Variable<F64> loss = Layers.mean(Layers.square(y));
    var executor = new Executor(CTX, loss);
    Executor part = executor.sharing(y);
    executor.set(x, CTX.ones(F64, 4, 2));
    part.set(x, CTX.ones(F64, 1, 2));
    part.forward();
    double before = part.tensor(y).toDoubleArray()[0];
    executor.step(loss, Optimizer.sgd(0.1));
    part.forward();
    assertThat(part.tensor(y).toDoubleArray()[0]).isNotEqualTo(before);
    assertThatThrownBy(() -> part.backward(y))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[backward] only the executor that owns the parameters may train them; got one that"
                + " shares them; train the owner.");
    Variable<F64> other = Layers.dense("other", x, 3);
    assertThatThrownBy(() -> executor.sharing(other))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[sharing] parameters and states must belong to the executor; got other.weight"
                + " f64[2,3], which the executor lacks; name an output that reads it when the"
                + " executor is made.");
  }
}
