package ristretto.symbolic.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Optimizers whose formula is applied to each parameter by itself. */
class PerParameterTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static Expr<F64> position(long count) {
    return Ops.coordinate(Shape.of(count), 0).cast(F64);
  }

  private static Variable<F64> parameter(String name, double step, double start, long... dims) {
    Initializer sine =
        (shape, _) -> {
          long n = shape.size();
          return Ops.sin(position(n).times(step).plus(start)).reshape(shape.toArray()).cast(F32);
        };
    return Variable.parameter(name, F64, sine, dims);
  }

  static Stream<Arguments> adafactor() {
    return Stream.of(
        Arguments.of(
            new long[] {3, 4},
            new double[] {
              0.10442717, 0.458345472, 0.755299689, 0.91937866, 0.967003501, 0.895969512,
              0.713912076, 0.442675313, 0.121166858, -0.263306808, -0.608206191, -0.828623816
            }),
        Arguments.of(
            new long[] {5},
            new double[] {0.114579504, 0.473478781, 0.764636299, 0.920970713, 0.967122827}),
        Arguments.of(
            new long[] {2, 3, 2},
            new double[] {
              0.104251759, 0.473015254, 0.752719841, 0.925407949, 0.973231886, 0.899025434,
              0.717790687, 0.44679081, 0.099852523, -0.268417583, -0.605598247, -0.814159346
            }),
        Arguments.of(
            new long[] {4, 1}, new double[] {0.113820111, 0.471140357, 0.760996556, 0.920532975}));
  }

  /** Values of PyTorch 2.13, {@code torch.optim.Adafactor(lr=0.02, weight_decay=0.1)}. */
  @ParameterizedTest
  @MethodSource
  void adafactor(long[] dims, double[] expected) {
    Variable<F64> w = parameter("w", 0.37, 0.1, dims);
    Variable<F64> other = parameter("other", 0.2, 0.3, 2, 2);
    Variable<F64> c = Variable.input("c", F64, dims);
    Variable<F64> loss =
        Layers.sum(w.times(w).times(c).plus(w.times(c))).plus(Layers.sum(other.times(other)));
    var executor = new Executor(CTX, loss);
    Optimizer optimizer = Optimizer.adafactor(Schedule.constant(0.02), 0.1);
    for (int t = 0; t < 5; t++) {
      executor.set(c, Ops.cos(position(expected.length).times(0.91).plus(t)).reshape(dims));
      executor.step(loss, optimizer);
    }
    assertThat(executor.tensor(w).toDoubleArray()).containsExactly(expected, within(2e-7));
  }

  @Test
  void lambScalesEachUpdateToItsParameter() {
    Variable<F64> a = Variable.parameter("a", F64, Initializer.constant(3), 2, 2);
    Variable<F64> b = Variable.parameter("b", F64, Initializer.constant(0), 3);
    Variable<F64> loss = Layers.sum(a).plus(Layers.sum(b).times(5));
    var executor = new Executor(CTX, loss);
    executor.step(loss, Optimizer.lamb(Schedule.constant(0.1), 0.9, 0.999, 0, 0));
    // Adam's first update is 1 for each element: of norm 2 for a, whose own norm is 6.
    assertThat(executor.tensor(a).toDoubleArray())
        .containsExactly(new double[] {2.7, 2.7, 2.7, 2.7}, within(1e-6));
    // A parameter of norm 0 gets Adam's update.
    assertThat(executor.tensor(b).toDoubleArray())
        .containsExactly(new double[] {-0.1, -0.1, -0.1}, within(1e-6));
  }

  /** Values of PyTorch 2.13, {@code OneCycleLR(max_lr=0.1, total_steps=20)}. */
  @Test
  void oneCycleFollowsPyTorch() {
    double[] expected = {
      0.004,
      0.013167184,
      0.037167184,
      0.066832816,
      0.090832816,
      0.1,
      0.098746401,
      0.095048463,
      0.089091618,
      0.081174565,
      0.0716943,
      0.061126202,
      0.0500002,
      0.038874198,
      0.0283061,
      0.018825835,
      0.010908782,
      0.004951937,
      0.001253999,
      4e-07
    };
    Schedule schedule = Schedule.oneCycle(0.1, 20);
    for (int step = 0; step < 25; step++) {
      double rate = CTX.eval(schedule.rate(Ops.scalar(F32, step))).item();
      assertThat(rate).isCloseTo(expected[Math.min(step, 19)], within(1e-8));
    }
  }
}
