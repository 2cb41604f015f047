package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;

import java.util.ArrayList;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

class CtcTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F64> logits = Variable.input("logits", F64, -1, -1, -1);
  private final Variable<I32> labels = Variable.input("labels", I32, -1, -1);
  private final Variable<I32> steps = Variable.input("steps", I32, -1);
  private final Variable<I32> lengths = Variable.input("lengths", I32, -1);

  private static Expr<F64> sines(long t, long n, long c) {
    return Ops.sin(Ops.coordinate(Shape.of(t * n * c), 0).cast(F64).times(0.7))
        .times(2)
        .reshape(t, n, c);
  }

  private double[] losses(
      Expr<F64> values, int[][] label, int[] step, int blank, boolean zero, Summary summary) {
    Variable<F64> loss = Layers.ctc(logits, labels, steps, lengths, blank, zero, summary);
    var executor = new Executor(CTX, loss);
    int most = Arrays.stream(label).mapToInt(row -> row.length).max().orElse(0);
    var all = new int[label.length * most];
    var counts = new int[label.length];
    for (int k = 0; k < label.length; k++) {
      System.arraycopy(label[k], 0, all, k * most, label[k].length);
      counts[k] = label[k].length;
    }
    executor.set(logits, values);
    executor.set(labels, CTX.tensor(all, label.length, most));
    executor.set(steps, CTX.tensor(step));
    executor.set(lengths, CTX.tensor(counts));
    executor.forward();
    return executor.tensor(loss).toDoubleArray();
  }

  /** Values of PyTorch 2.13, {@code ctc_loss(log_softmax(x, 2), ...)}. */
  @Test
  void equalsPyTorch() {
    int[][] label = {{1, 2, 2}, {3, 1}, {4}};
    int[] step = {7, 5, 6};
    assertThat(losses(sines(7, 3, 5), label, step, 0, false, Summary.NONE))
        .containsExactly(
            new double[] {8.981631901317767, 4.588258075563645, 7.824842514430674}, within(1e-9));
  }

  /** Sum over all alignments, by enumeration. */
  private static double enumerated(double[] values, int n, int c, int row, int[] label, int steps) {
    int paths = (int) Math.round(Math.pow(c, steps));
    double sum = 0;
    for (int path = 0; path < paths; path++) {
      int rest = path;
      double log = 0;
      var written = new ArrayList<Integer>();
      int before = -1;
      for (int t = 0; t < steps; t++) {
        int symbol = rest % c;
        rest /= c;
        double norm = 0;
        for (int k = 0; k < c; k++) {
          norm += Math.exp(values[(t * n + row) * c + k]);
        }
        log += values[(t * n + row) * c + symbol] - Math.log(norm);
        if (symbol != 0 && symbol != before) {
          written.add(symbol);
        }
        before = symbol;
      }
      if (written.equals(Arrays.stream(label).boxed().toList())) {
        sum += Math.exp(log);
      }
    }
    return -Math.log(sum);
  }

  @Test
  void sumsOverAllAlignments() {
    int[][] label = {{1, 1}, {2, 1}, {}, {2}, {1, 2, 1}};
    int[] step = {5, 2, 3, 1, 4};
    Expr<F64> values = sines(5, 5, 3);
    double[] got = losses(values, label, step, 0, false, Summary.NONE);
    double[] all = CTX.eval(values).toDoubleArray();
    for (int row = 0; row < 5; row++) {
      assertThat(got[row])
          .isCloseTo(enumerated(all, 5, 3, row, label[row], step[row]), within(1e-10));
    }
    // Without any label, in a matrix without columns.
    double[] none = losses(sines(3, 1, 3), new int[][] {{}}, new int[] {3}, 0, false, Summary.NONE);
    double[] one = CTX.eval(sines(3, 1, 3)).toDoubleArray();
    assertThat(none[0]).isCloseTo(enumerated(one, 1, 3, 0, new int[0], 3), within(1e-10));
  }

  @Test
  void impossibleAndWrongSequences() {
    int[][] label = {{1, 1}, {1, 2}};
    int[] step = {2, 2};
    double[] got = losses(sines(2, 2, 3), label, step, 0, false, Summary.NONE);
    assertThat(got[0]).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(got[1]).isFinite();
    assertThat(losses(sines(2, 2, 3), label, step, 0, true, Summary.NONE)[0]).isZero();
    for (int wrong : new int[] {3, 0}) {
      assertThatThrownBy(() ->
              losses(sines(2, 1, 3), new int[][] {{wrong}}, new int[] {2}, 0, true, Summary.NONE))
          .isInstanceOf(ShapeException.class);
    }
    assertThatThrownBy(
            () -> losses(sines(2, 1, 3), new int[][] {{1}}, new int[] {3}, 0, true, Summary.NONE))
        .isInstanceOf(ShapeException.class);
    assertThat(losses(sines(2, 1, 3), new int[][] {{0}}, new int[] {2}, 2, true, Summary.NONE)[0])
        .isFinite();
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "9"})
  void gradients(int count) {
    Variable<F64> weight = Variable.parameter("w", F64, Initializer.normal(1.0), 4, 5);
    Variable<F64> x = Variable.input("x", F64, -1, 2, 4);
    Variable<F64> scores =
        Layers.apply(
            "s",
            F64,
            v -> Ops.dot(v.get(x).reshape(-1, 4), v.get(weight)).reshape(-1, 2, 5),
            x,
            weight);
    Variable<F64> loss = Layers.ctc(scores, labels, steps, lengths, 0, true, Summary.MEAN);
    var executor = new Executor(CTX, 1, loss);
    executor.set(x, Ops.normal(F64, 3, count, 2, 4));
    executor.set(labels, CTX.tensor(new int[] {1, 1, 4, 3}, 2, 2));
    executor.set(steps, CTX.tensor(new int[] {count, Math.max(1, count - 2)}));
    executor.set(lengths, CTX.tensor(new int[] {count > 2 ? 2 : 1, 1}));
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void messages() {
    Variable<F64> loss = Layers.ctc(logits, labels, steps, lengths);
    var executor = new Executor(CTX, loss);
    executor.set(logits, CTX.zeros(F64, 4, 2, 3));
    executor.set(labels, CTX.zeros(I32, 3, 1));
    executor.set(steps, CTX.zeros(I32, 2));
    executor.set(lengths, CTX.zeros(I32, 2));
    assertThatThrownBy(executor::forward)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[ctc] logits must be [steps, n, classes] with at least one step, labels [n, most], and"
                + " both lengths [n]; got [4,2,3], [3,1], [2] and [2]; permute or reshape them.");
    Variable<F64> other = Layers.ctc(logits, labels, steps, lengths, 3, false, Summary.SUM);
    var wrong = new Executor(CTX, other);
    wrong.set(logits, CTX.zeros(F64, 4, 2, 3));
    wrong.set(labels, CTX.zeros(I32, 2, 1));
    wrong.set(steps, CTX.zeros(I32, 2));
    wrong.set(lengths, CTX.zeros(I32, 2));
    assertThatThrownBy(wrong::forward)
        .isInstanceOf(ShapeException.class)
        .hasMessage("[ctc] the blank must be one of the classes 0 to 2; got 3.");
  }
}
