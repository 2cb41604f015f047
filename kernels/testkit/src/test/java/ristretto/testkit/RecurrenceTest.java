package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/** Recurrences and cumulative operations with user lambdas, compared with plain loops. */
class RecurrenceTest {
  private static final List<Context> ALL =
      TestDevice.contexts(TestDevice.open(), Context.open("oracle"));

  @AfterAll
  static void close() {
    ALL.forEach(Context::close);
  }

  private static double[] values(int seed, int n) {
    return new Random(seed).doubles(n, -1, 1).toArray();
  }

  @Test
  void oneStateManyLanes() {
    for (Context ctx : ALL) {
      for (int steps : new int[] {1, 2, 31}) {
        for (int lanes : new int[] {1, 3, 16, 37, 1031}) {
          double[] x = values(steps, steps * lanes);
          double[] s = values(lanes, lanes);
          double decay = 0.75;
          double[] expected = new double[x.length];
          for (int lane = 0; lane < lanes; lane++) {
            double state = s[lane];
            for (int t = 0; t < steps; t++) {
              state = decay * state + Math.abs(x[t * lanes + lane]);
              expected[t * lanes + lane] = state;
            }
          }
          Tensor<F64> y =
              ctx.eval(
                  scan(
                      ctx.tensor(s),
                      ctx.tensor(x, steps, lanes),
                      (state, v) -> decay * state + Math.abs(v)));
          assertThat(y.shape()).isEqualTo(Shape.of(steps, lanes));
          assertThat(y.toDoubleArray()).containsExactly(expected, within(1e-13));
        }
      }
    }
  }

  @Test
  void severalStatesAndInputs() {
    for (Context ctx : ALL) {
      int n = 101;
      double[] x = values(1, n);
      Tensor<F64> xs = ctx.tensor(x);
      // a filter of second order in direct form
      List<Expr<F64>> w =
          scan(
              scalar(F64, 0),
              scalar(F64, 0),
              xs,
              (w1, w2, v) -> v + 0.5 * w1 - 0.25 * w2,
              (w1, w2, v) -> w1);
      double[] first = new double[n];
      double[] second = new double[n];
      double w1 = 0;
      double w2 = 0;
      for (int t = 0; t < n; t++) {
        double next = x[t] + 0.5 * w1 - 0.25 * w2;
        w2 = w1;
        w1 = next;
        first[t] = w1;
        second[t] = w2;
      }
      assertThat(ctx.eval(w.get(0)).toDoubleArray()).containsExactly(first, within(1e-13));
      assertThat(ctx.eval(w.get(1)).toDoubleArray()).containsExactly(second, within(1e-13));
      Expr<F64> fed = scan(scalar(F64, 1), xs, xs.neg(), (s, a, b) -> s * 0.5 + a * b);
      double s = 1;
      for (int t = 0; t < n; t++) {
        s = s * 0.5 - x[t] * x[t];
        first[t] = s;
      }
      assertThat(ctx.eval(fed).toDoubleArray()).containsExactly(first, within(1e-13));
    }
  }

  @Test
  void lambdasWithLoopsAndOtherTypes() {
    for (Context ctx : ALL) {
      Tensor<I32> n = ctx.tensor(new int[] {4, 1, 3});
      Expr<I32> loops =
          scan(
              scalar(I32, 1),
              n,
              (s, k) -> {
                int result = s;
                for (int i = 0; i < k; i++) {
                  result = result * 2 + i;
                }
                return result;
              });
      assertThat(ctx.eval(loops).toIntArray()).containsExactly(27, 54, 436);
      Expr<I64> mixed = scan(scalar(I64, 7), n.cast(I64), (s, k) -> s * 6364136223846793005L + k);
      long state = 7;
      long[] expected = new long[3];
      for (int t = 0; t < 3; t++) {
        state = state * 6364136223846793005L + new int[] {4, 1, 3}[t];
        expected[t] = state;
      }
      assertThat(ctx.eval(mixed).toLongArray()).containsExactly(expected);
    }
  }

  @Test
  void capturedValuesAreLaunchScalars() {
    Context ctx = ALL.getFirst();
    Tensor<F32> x = ctx.ones(F32, 5);
    Tensor<F32> y = ctx.empty(F32, 5);
    for (float a : new float[] {1, 2, 3}) {
      ctx.assign(y, scan(scalar(F32, a), x, (s, v) -> s + a * v));
      assertThat(y.toFloatArray()).containsExactly(2 * a, 3 * a, 4 * a, 5 * a, 6 * a);
    }
  }

  @Test
  void oneKernelEach() {
    Context ctx = ALL.getFirst();
    Tensor<F32> x = ctx.ones(F32, 50, 3);
    assertThat(ctx.explain(scan(scalar(F32, 0), x, (s, v) -> s + v)).kernelCount()).isEqualTo(1);
    assertThat(ctx.explain(cumulative(x, 1f, (u, v) -> u * v, 0)).kernelCount()).isEqualTo(1);
  }

  @Test
  void cumulativeAlongEveryAxis() {
    for (Context ctx : ALL) {
      Tensor<F64> x = ctx.tensor(values(3, 60), 3, 4, 5);
      for (int axis = -1; axis < 3; axis++) {
        assertThat(ctx.eval(cumulative(x, 0.0, (u, v) -> u + v, axis)).toDoubleArray())
            .containsExactly(ctx.eval(cumSum(x, axis)).toDoubleArray(), within(1e-14));
        assertThat(
                ctx.eval(cumulative(x.flip(axis), -9.0, (u, v) -> u > v ? u : v, axis))
                    .toDoubleArray())
            .containsExactly(ctx.eval(cumMax(x.flip(axis), axis)).toDoubleArray());
      }
      assertThat(ctx.eval(cumulative(x.slice(range(0, 0)), 0.0, (u, v) -> u + v, 0)).shape())
          .isEqualTo(Shape.of(0, 4, 5));
    }
  }

  /** Directional derivatives by central differences, of all operands. */
  @Test
  void gradientsRunInReverse() {
    for (Context ctx : ALL) {
      Tensor<F64> x = ctx.tensor(values(1, 21), 7, 3);
      Tensor<F64> a = ctx.tensor(values(2, 3));
      Tensor<F64> b = ctx.tensor(values(3, 3));
      List<Expr<F64>> two =
          scan(a, b, x, (s, r, v) -> s * r + v, (s, r, v) -> Math.sin(s) + 0.5 * r * v);
      Expr<F64> weights = ctx.tensor(values(4, 21), 7, 3);
      Expr<F64> loss = sum(two.get(0).times(weights)).plus(sum(two.get(1).times(two.get(1))));
      int seed = 5;
      for (Tensor<F64> operand : List.of(x, a, b)) {
        checkSlope(ctx, loss, operand, seed++, 1e-8);
      }
    }
  }

  /**
   * Gradients of gradients, which are linear recurrences in both directions, beside central
   * differences, at numbers of steps with and without inner ones. Other devices than cpu compute
   * second derivatives of one state: kernels of the others have more parameters than methods of
   * TornadoVM may have.
   */
  @Test
  void gradientsOfGradients() {
    for (Context ctx : ALL) {
      for (int steps : TestDevice.isCpu() ? new int[] {1, 2, 5} : new int[] {2}) {
        Tensor<F64> x = ctx.tensor(values(1, 2 * steps), steps, 2);
        Tensor<F64> a = ctx.tensor(values(2, 2));
        Expr<F64> loss = ofTwoStates(a, x);
        Expr<F64> slope = sum(square(gradient(loss, x))).plus(sum(square(gradient(loss, a))));
        Expr<F64> curve = sum(square(gradient(slope, x)));
        for (Tensor<F64> operand : List.of(x, a)) {
          for (Expr<F64> function : List.of(slope, curve)) {
            checkSlope(ctx, function, operand, 6 + steps, 1e-7);
          }
        }
      }
    }
  }

  /** Compares the slope of a function in a random direction with a central difference. */
  private static void checkSlope(
      Context ctx, Expr<F64> function, Tensor<F64> operand, int seed, double absolute) {
    double[] way = values(seed, (int) operand.shape().size());
    Tensor<F64> direction = ctx.eval(ctx.tensor(way).reshape(operand.shape().toArray()).times(1));
    double slope = ctx.eval(sum(gradient(function, operand).times(direction))).item();
    ctx.assignAdd(operand, direction.times(1e-5));
    double above = ctx.eval(function).item();
    ctx.assignSub(operand, direction.times(2e-5));
    double below = ctx.eval(function).item();
    ctx.assignAdd(operand, direction.times(1e-5));
    assertThat(slope)
        .as(operand.shape().toString())
        .isCloseTo((above - below) / 2e-5, within(1e-6 * Math.abs(slope) + absolute));
  }

  private static Expr<F64> ofTwoStates(Expr<F64> a, Expr<F64> x) {
    List<Expr<F64>> two =
        scan(
            a,
            scalar(F64, 0.3),
            x,
            (s, r, v) -> s * r * v + v,
            (s, r, v) -> Math.sin(s) + 0.5 * r * v);
    return sum(square(two.get(0))).plus(sum(two.get(1).times(two.get(0))));
  }
}
