package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.automaton.Automaton;
import ristretto.symbolic.automaton.AutomatonInput;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

class LfmmiTest {
  private static final Context CTX = Context.open();
  private static final double NEVER = Double.NEGATIVE_INFINITY;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static Expr<F64> sines(long t, long n, long c) {
    return Ops.sin(Ops.coordinate(Shape.of(t * n * c), 0).cast(F64).times(0.7))
        .times(2)
        .reshape(t, n, c);
  }

  private static Automaton random(int states, int arcs, int classes, long seed, boolean anyStart) {
    var random = new Random(seed);
    var sources = new int[arcs];
    var targets = new int[arcs];
    var of = new int[arcs];
    var weights = new double[arcs];
    for (int k = 0; k < arcs; k++) {
      // A way through all states, and others.
      sources[k] = k < states ? k : random.nextInt(states);
      targets[k] = k < states ? (k + 1) % states : random.nextInt(states);
      of[k] = random.nextInt(classes);
      weights[k] = -random.nextDouble();
    }
    var starts = new double[states];
    var ends = new double[states];
    for (int s = 0; s < states; s++) {
      starts[s] = anyStart ? Math.log(1.0 / states) : s == 0 ? 0 : NEVER;
      ends[s] = anyStart ? 0 : s % 2 == 0 ? -0.5 * s : NEVER;
    }
    return new Automaton(sources, targets, of, weights, starts, ends);
  }

  /**
   * Logarithm of the sum over all paths, one by one; jumps come before each step and at the end.
   */
  private static double enumerated(
      Automaton a, double[][] scores, int t, int state, double weight, double leaky) {
    double sum = 0;
    for (int next = 0; next < a.states(); next++) {
      double jump = leaky * Math.exp(a.starts()[next]);
      double moved = weight * ((next == state ? 1 : 0) + jump);
      if (moved == 0) {
        continue;
      }
      if (t == scores.length) {
        sum += moved * Math.exp(a.ends()[next]);
        continue;
      }
      for (int k = 0; k < a.sources().length; k++) {
        if (a.sources()[k] == next) {
          double w = moved * Math.exp(a.logWeights()[k] + scores[t][a.classes()[k]]);
          sum += enumerated(a, scores, t + 1, a.targets()[k], w, leaky);
        }
      }
    }
    return sum;
  }

  private static double total(Automaton a, double[][] scores, double leaky) {
    double sum = 0;
    for (int s = 0; s < a.states(); s++) {
      sum += enumerated(a, scores, 0, s, Math.exp(a.starts()[s]), leaky);
    }
    return Math.log(sum);
  }

  private final Variable<F64> logits = Variable.input("logits", F64, -1, -1, -1);
  private final AutomatonInput<F64> supervision = AutomatonInput.of("supervision", F64);
  private final AutomatonInput<F64> graph = AutomatonInput.of("graph", F64);

  @ParameterizedTest
  @CsvSource({"1,1,0", "2,3,0.1", "4,2,0.3", "5,2,1e-5"})
  void sumsOverAllPaths(int steps, int n, double leaky) {
    int classes = 5;
    Automaton all = random(3, 6, classes, 1, true);
    List<Automaton> each = new ArrayList<>();
    for (int k = 0; k < n; k++) {
      each.add(random(2 + k, 5 + 2 * k, classes, 10 + k, false));
    }
    Variable<F64> losses = Layers.lfmmi(logits, supervision, graph, leaky, Summary.NONE);
    var executor = new Executor(CTX, losses);
    executor.set(logits, sines(steps, n, classes));
    supervision.set(each, executor::set);
    graph.set(List.of(all), executor::set);
    executor.forward();
    double[] got = executor.tensor(losses).toDoubleArray();
    double[] values = CTX.eval(sines(steps, n, classes)).toDoubleArray();
    for (int k = 0; k < n; k++) {
      var scores = new double[steps][classes];
      for (int t = 0; t < steps; t++) {
        System.arraycopy(values, (t * n + k) * classes, scores[t], 0, classes);
      }
      double wanted = total(all, scores, leaky) - total(each.get(k), scores, 0);
      assertThat(got[k]).isCloseTo(wanted / steps, within(1e-10));
    }
  }

  @ParameterizedTest
  @CsvSource({"1,1,0", "6,3,0.1", "17,2,1e-5"})
  void gradients(int steps, int n, double leaky) {
    int classes = 4;
    Variable<F64> scores =
        Variable.parameter("scores", F64, Initializer.normal(1), steps, n, classes);
    List<Automaton> each = new ArrayList<>();
    for (int k = 0; k < n; k++) {
      each.add(random(2 + k, 5 + 2 * k, classes, 20 + k, true));
    }
    Variable<F64> loss = Layers.lfmmi(scores, supervision, graph, leaky, Summary.SUM);
    var executor = new Executor(CTX, loss);
    supervision.set(each, executor::set);
    graph.set(List.of(random(3, 8, classes, 5, true)), executor::set);
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void impossibleSequencesHaveNoGradient() {
    // One transition: paths of one step only.
    var once =
        new Automaton(
            new int[] {0},
            new int[] {1},
            new int[] {0},
            new double[] {0},
            new double[] {0, NEVER},
            new double[] {NEVER, 0});
    Variable<F32> scores = Variable.parameter("scores", F32, Initializer.normal(1), 3, 2, 2);
    AutomatonInput<F32> wanted = AutomatonInput.of("wanted", F32);
    AutomatonInput<F32> all = AutomatonInput.of("all", F32);
    Variable<F32> losses = Layers.lfmmi(scores, wanted, all, 0.1, Summary.NONE);
    Variable<F32> finite =
        Layers.apply("finite", F32, x -> Ops.sum(x.get(losses).slice(Ops.range(1, 2))), losses);
    var executor = new Executor(CTX, finite, losses);
    wanted.set(List.of(once, random(2, 5, 2, 3, true)), executor::set);
    all.set(List.of(random(3, 8, 2, 5, true)), executor::set);
    executor.backward(finite);
    float[] got = executor.tensor(losses).toFloatArray();
    assertThat(got[0]).isEqualTo(Float.POSITIVE_INFINITY);
    assertThat(Float.isFinite(got[1])).isTrue();
    float[] gradient = executor.gradientOf(scores).toFloatArray();
    for (float d : gradient) {
      assertThat(Float.isFinite(d)).isTrue();
    }
  }

  @Test
  void messages() {
    assertThatThrownBy(() -> Layers.lfmmi(logits, supervision, graph, 1, Summary.MEAN))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[lfmmi] the coefficient of jumps must be at least 0 and below 1; got 1.0.");
    assertThatThrownBy(() ->
            new Automaton(
                new int[] {0},
                new int[] {2},
                new int[] {0},
                new double[1],
                new double[2],
                new double[2]))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[automaton] there must be a start and an end for each state, at least one transition,"
                + " and for each a source and a target of the states, a class from 0 and a weight;"
                + " got 2 starts, 2 ends, 1 sources, 1 targets, 1 classes and 1 weights; correct"
                + " them.");
    assertThatThrownBy(() -> supervision.set(List.of(), (_, _, _) -> {}))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[automaton] there must be an automaton for each sequence, or one for all; got none;"
                + " give one.");
    Variable<F64> loss = Layers.lfmmi(logits, supervision, graph);
    var executor = new Executor(CTX, loss);
    executor.set(logits, sines(2, 1, 3));
    supervision.set(List.of(random(2, 5, 4, 3, true)), executor::set);
    graph.set(List.of(random(2, 5, 3, 4, true)), executor::set);
    assertThatThrownBy(executor::forward)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[lfmmi] classes of automata must be columns of the logits, 0 to 2; got 3; use the"
                + " automata of this network's classes.");
    executor.set(logits, sines(2, 3, 4));
    supervision.set(List.of(random(2, 5, 4, 3, true), random(2, 5, 4, 6, true)), executor::set);
    assertThatThrownBy(executor::forward)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[lfmmi] logits must be [steps, n, classes] with at least one step, and automata n or"
                + " one; got [2,3,4] and 2 automata; permute the logits, or give an automaton for"
                + " each sequence.");
  }
}
