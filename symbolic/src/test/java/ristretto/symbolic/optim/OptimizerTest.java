package ristretto.symbolic.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Optimizers beside their formulas for one number, whose gradient is {@code 2 w - 3}. */
class OptimizerTest {
  private static final Context CTX = Context.open();
  private static final int STEPS = 6;

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** One step: what is kept, {@code [w, a, b]}, its gradient and number in, the same out. */
  @FunctionalInterface
  private interface Step {
    void run(double[] kept, double g, int step);
  }

  private record Case(String name, Optimizer optimizer, Step step) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    Schedule rate = Schedule.constant(0.1);
    return Stream.of(
        new Case("sgd", Optimizer.sgd(0.1), (w, g, _) -> w[0] -= 0.1 * g),
        new Case(
            "momentum",
            Optimizer.momentum(rate, 0.9, false),
            (w, g, _) -> w[0] -= 0.1 * (w[1] = 0.9 * w[1] + g)),
        new Case(
            "nesterov",
            Optimizer.momentum(rate, 0.9, true),
            (w, g, _) -> {
              w[1] = 0.9 * w[1] + g;
              w[0] -= 0.1 * (g + 0.9 * w[1]);
            }),
        new Case(
            "rmsProp",
            Optimizer.rmsProp(rate, 0.9, 1e-6),
            (w, g, _) -> {
              w[1] = 0.9 * w[1] + 0.1 * g * g;
              w[0] -= 0.1 * g / (Math.sqrt(w[1]) + 1e-6);
            }),
        new Case(
            "adagrad",
            Optimizer.adagrad(rate, 1e-6),
            (w, g, _) -> {
              w[1] += g * g;
              w[0] -= 0.1 * g / (Math.sqrt(w[1]) + 1e-6);
            }),
        new Case("adam", Optimizer.adam(0.1), (w, g, t) -> adam(w, g, t, 0)),
        new Case(
            "adam with constants",
            Optimizer.adam(Schedule.constant(0.1), 0.5, 0.999, 1e-8),
            (w, g, t) -> adam(w, g, t, 0, 0.1, 0.5)),
        new Case("adam by schedule", Optimizer.adam(rate), (w, g, t) -> adam(w, g, t, 0)),
        new Case(
            "adamW", Optimizer.adamW(rate, 0.9, 0.999, 1e-8, 0.3), (w, g, t) -> adam(w, g, t, 0.3)),
        new Case(
            "lion",
            Optimizer.lion(rate, 0.9, 0.99, 0.3),
            (w, g, _) -> {
              w[0] -= 0.1 * (Math.signum(0.9 * w[1] + 0.1 * g) + 0.3 * w[0]);
              w[1] = 0.99 * w[1] + 0.01 * g;
            }),
        new Case(
            "lamb",
            Optimizer.lamb(rate, 0.9, 0.999, 1e-6, 0.3),
            (w, g, t) -> {
              w[1] = 0.9 * w[1] + 0.1 * g;
              w[2] = 0.999 * w[2] + 0.001 * g * g;
              double m = w[1] / (1 - Math.pow(0.9, t));
              double v = w[2] / (1 - Math.pow(0.999, t));
              double move = m / (Math.sqrt(v) + 1e-6) + 0.3 * w[0];
              w[0] -= 0.1 * Math.abs(w[0] / move) * move;
            }),
        new Case(
            "adafactor",
            Optimizer.adafactor(rate, 0.3),
            (w, g, t) -> {
              w[1] += (g * g - w[1]) * Math.pow(t, -0.8);
              double move = g / Math.sqrt(w[1]);
              double size = Math.max(1e-3, Math.abs(w[0])) * Math.min(0.1, 1 / Math.sqrt(t));
              w[0] = w[0] * (1 - 0.1 * 0.3) - size * move / Math.max(1, Math.abs(move));
            }),
        new Case(
            "one cycle",
            Optimizer.sgd(Schedule.oneCycle(0.1, 20)),
            (w, g, t) -> w[0] -= oneCycle(t - 1, 20) * g),
        new Case(
            "one cycle of momentum",
            Optimizer.momentum(Schedule.oneCycle(0.1, 8), 0.5, false),
            (w, g, t) -> w[0] -= oneCycle(t - 1, 8) * (w[1] = cycled(t - 1, 8) * w[1] + g)),
        new Case(
            "one cycle of Nesterov's momentum",
            Optimizer.momentum(Schedule.oneCycle(0.1, 8), 0.5, true).clip(100),
            (w, g, t) -> {
              w[1] = cycled(t - 1, 8) * w[1] + g;
              w[0] -= oneCycle(t - 1, 8) * (g + cycled(t - 1, 8) * w[1]);
            }),
        new Case(
            "one cycle of Adam",
            Optimizer.adam(Schedule.oneCycle(0.1, 8)),
            (w, g, t) -> adam(w, g, t, 0, oneCycle(t - 1, 8), cycled(t - 1, 8))),
        new Case(
            "one cycle of AdamW with warm-up and a group",
            Optimizer.adamW(Schedule.oneCycle(0.1, 8).warmUp(3)).group("w", s -> s.decay(0.3)),
            (w, g, t) ->
                adam(w, g, t, 0.3, oneCycle(t - 1, 8) * Math.min(1, t / 3.0), cycled(t - 1, 8))),
        new Case(
            "one cycle of the rate alone",
            Optimizer.adam(Schedule.oneCycle(0.1, 8).constantMomentum()),
            (w, g, t) -> adam(w, g, t, 0, oneCycle(t - 1, 8), 0.9)),
        new Case(
            "decay", Optimizer.sgd(0.1).decay(0.5), (w, g, _) -> w[0] -= 0.1 * (g + 0.5 * w[0])),
        new Case(
            "clip",
            Optimizer.sgd(0.1).clip(0.7),
            (w, g, _) -> w[0] -= 0.1 * Math.max(-0.7, Math.min(g, 0.7))),
        new Case(
            "step",
            Optimizer.sgd(Schedule.step(0.1, 0.5, 2)),
            (w, g, t) -> w[0] -= 0.1 * Math.pow(0.5, (t - 1) / 2) * g),
        new Case(
            "exponential",
            Optimizer.sgd(Schedule.exponential(0.1, 0.8)),
            (w, g, t) -> w[0] -= 0.1 * Math.pow(0.8, t - 1) * g),
        new Case(
            "cosine",
            Optimizer.sgd(Schedule.cosine(0.1, 4)),
            (w, g, t) -> w[0] -= 0.05 * (1 + Math.cos(Math.PI * Math.min(1, (t - 1) / 4.0))) * g),
        new Case(
            "warm-up",
            Optimizer.sgd(Schedule.constant(0.1).warmUp(3)),
            (w, g, t) -> w[0] -= 0.1 * Math.min(1, t / 3.0) * g));
  }

  private static double oneCycle(int step, int steps) {
    double top = 0.3 * steps - 1;
    return step <= top
        ? cosine(0.1 / 25, 0.1, step / top)
        : cosine(0.1, 0.1 / 25e4, Math.min(1, (step - top) / (steps - 1 - top)));
  }

  private static double cycled(int step, int steps) {
    double top = 0.3 * steps - 1;
    return step <= top
        ? cosine(0.95, 0.85, step / top)
        : cosine(0.85, 0.95, Math.min(1, (step - top) / (steps - 1 - top)));
  }

  private static double cosine(double from, double to, double share) {
    return to + (from - to) / 2 * (1 + Math.cos(Math.PI * share));
  }

  private static void adam(double[] w, double g, int t, double decay) {
    adam(w, g, t, decay, 0.1, 0.9);
  }

  private static void adam(double[] w, double g, int t, double decay, double rate, double first) {
    w[1] = first * w[1] + (1 - first) * g;
    w[2] = 0.999 * w[2] + 0.001 * g * g;
    double m = w[1] / (1 - Math.pow(first, t));
    double v = w[2] / (1 - Math.pow(0.999, t));
    w[0] -= rate * (m / (Math.sqrt(v) + 1e-8) + decay * w[0]);
  }

  private final Variable<F64> w = Variable.parameter("w", F64, Initializer.constant(0.25), 1);
  private final Variable<F64> three = Variable.input("three", F64);
  private final Variable<F64> loss = Layers.sum(w.times(w).minus(w.times(three)));

  private Executor executor() {
    var executor = new Executor(CTX, loss);
    executor.set(three, scalar(F64, 3));
    return executor;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void followsItsFormula(Case c) {
    Executor executor = executor();
    var kept = new double[] {0.25, 0, 0};
    for (int t = 1; t <= STEPS; t++) {
      executor.step(loss, c.optimizer);
      c.step.run(kept, 2 * kept[0] - 3, t);
      assertThat(executor.tensor(w).item()).as("step " + t).isCloseTo(kept[0], within(1e-6));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void anUpdateAfterwardsIsTheRestOfAStep(Case c) {
    Executor whole = executor();
    Executor parts = executor();
    for (int t = 1; t <= STEPS; t++) {
      whole.step(loss, c.optimizer);
      parts.backward(loss);
      parts.update(c.optimizer);
      assertThat(parts.tensor(w).item()).as("step " + t).isEqualTo(whole.tensor(w).item());
    }
  }

  @Test
  void thereMustBeGradients() {
    Executor executor = executor();
    Optimizer optimizer = Optimizer.sgd(1);
    assertThatThrownBy(() -> executor.update(optimizer))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[update] gradients must have been computed; got none; call backward(loss) first.");
  }

  @Test
  void clippingLooksAtAllParametersTogether() {
    Variable<F64> a = Variable.parameter("a", F64, Initializer.constant(3), 2);
    Variable<F32> b = Variable.parameter("b", F32, Initializer.constant(2), 1);
    Variable<F64> sum =
        Layers.sum(a).plus(Layers.apply("f64", F64, x -> sum(x.get(b)).cast(F64), b));
    var executor = new Executor(CTX, sum);
    executor.step(sum, Optimizer.sgd(1).clip(0.5));
    double part = 0.5 / Math.sqrt(3);
    assertThat(executor.tensor(a).toDoubleArray())
        .containsExactly(new double[] {3 - part, 3 - part}, within(1e-6));
    assertThat(executor.tensor(b).item()).isCloseTo(2 - part, within(1e-6));
  }

  @Test
  void averagesFollowParameters() {
    Executor executor = executor();
    Optimizer optimizer = Optimizer.sgd(0.1).average(0.9);
    double mean = 0;
    for (int t = 1; t <= STEPS; t++) {
      executor.step(loss, optimizer);
      double now = executor.tensor(w).item();
      mean = t == 1 ? now : 0.9 * mean + 0.1 * now;
      assertThat(executor.average(w, optimizer).item()).isCloseTo(mean, within(1e-12));
    }
    assertThatThrownBy(() -> executor.average(w, Optimizer.sgd(0.1)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[average] the optimizer must average parameters and have updated this one; got w"
                + " f64[1]; make the optimizer with average(decay).");
  }

  /** Numbers below the normal ones make processors several times slower. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void meansOfGradientsThatVanishedBecomeZero(boolean adam, @TempDir Path folder) {
    Variable<F32> x = Variable.input("x", F32, 1);
    Variable<F32> p = Variable.parameter("p", F32, Initializer.ones(), 1);
    Variable<F32> loss = Layers.sum(p.times(x));
    var executor = new Executor(CTX, loss);
    Optimizer optimizer =
        adam
            ? Optimizer.adamW(Schedule.constant(1e-3), 0.9, 0.9, 1e-8, 0)
            : Optimizer.momentum(Schedule.constant(1e-3), 0.9, false);
    executor.set(x, CTX.ones(F32, 1));
    executor.step(loss, optimizer);
    executor.set(x, CTX.zeros(F32, 1));
    for (int step = 0; step < 810; step++) {
      executor.step(loss, optimizer);
    }
    Path file = folder.resolve("model.safetensors");
    executor.save(file);
    assertThat(CTX.loadAll(file).get(adam ? "optimizer/adam/0/p" : "optimizer/momentum/0/p").item())
        .isZero();
    assertThat(executor.tensor(p).item()).isNotEqualTo(1.0);
  }

  @Test
  void messages() {
    UnaryOperator<String> text = rule -> "[optimizer] " + rule + ".";
    Optimizer sgd = Optimizer.sgd(1);
    assertThatThrownBy(() -> sgd.clip(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage(text.apply("the maximum gradient norm must be above 0; got 0.0"));
    assertThatThrownBy(() -> sgd.decay(-1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(text.apply("the decay must be at least 0; got -1.0"));
    assertThatThrownBy(() -> sgd.average(1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(text.apply("the decay of averages must be between 0 and 1; got 1.0"));
    for (double bad : new double[] {Double.NaN, -0.1, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> Optimizer.adam(bad))
          .isInstanceOf(ShapeException.class)
          .hasMessage(text.apply("a learning rate must be finite and at least 0; got " + bad));
      assertThatThrownBy(() -> Schedule.cosine(bad, 5)).isInstanceOf(ShapeException.class);
      assertThatThrownBy(() -> Schedule.step(bad, 0.5, 5)).isInstanceOf(ShapeException.class);
      assertThatThrownBy(() -> Schedule.exponential(bad, 0.5)).isInstanceOf(ShapeException.class);
      assertThatThrownBy(() -> Schedule.exponential(1, bad))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              text.apply("the factor of a schedule must be finite and above 0; got " + bad));
      assertThatThrownBy(() -> sgd.decay(bad))
          .isInstanceOf(ShapeException.class)
          .hasMessage(text.apply("the decay must be at least 0; got " + bad));
      assertThatThrownBy(() -> Optimizer.adamW(Schedule.constant(1), 0.9, 0.9, 1e-8, bad))
          .isInstanceOf(ShapeException.class)
          .hasMessage(text.apply("the decay must be at least 0; got " + bad));
      assertThatThrownBy(() -> Optimizer.adagrad(Schedule.constant(1), bad))
          .isInstanceOf(ShapeException.class)
          .hasMessage(text.apply("epsilon must be at least 0; got " + bad));
      assertThatThrownBy(() -> Optimizer.momentum(Schedule.constant(1), bad, false))
          .isInstanceOf(ShapeException.class)
          .hasMessage(text.apply("momentum must be at least 0 and below 1; got " + bad));
      assertThatThrownBy(() -> Optimizer.rmsProp(Schedule.constant(1), bad, 1e-8))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              text.apply("the decay of running means must be at least 0 and below 1; got " + bad));
    }
    for (Executable steps :
        List.<Executable>of(
            () -> Schedule.cosine(1, 0),
            () -> Schedule.step(1, 0.5, 0),
            () -> Schedule.constant(1).warmUp(0))) {
      assertThatThrownBy(steps::execute)
          .isInstanceOf(ShapeException.class)
          .hasMessage(text.apply("a schedule must have at least 1 step; got 0"));
    }
    for (String bad : List.of("", "12", "a/b")) {
      assertThatThrownBy(() -> sgd.named(bad))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              text.apply(
                  "a name must not be empty, be a number or contain a slash; got \"" + bad + "\""));
    }
  }
}
