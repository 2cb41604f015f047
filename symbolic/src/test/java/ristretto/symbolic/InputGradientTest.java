package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

class InputGradientTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F64> x = Variable.input("x", F64, -1);
  private final Variable<F64> other = Variable.input("other", F64, -1);
  private final Variable<F64> w = Variable.parameter("w", F64, Initializer.constant(2), 1);
  private final Variable<F64> loss = Layers.sum(x.times(x).times(w).plus(other.times(0)));

  @Test
  void gradientsOfInputsOnDemand() {
    var executor = new Executor(CTX, loss);
    executor.set(x, CTX.tensor(new double[] {1, -3}));
    executor.set(other, CTX.tensor(new double[] {1, 1}));
    executor.backward(loss);
    assertThatThrownBy(() -> executor.gradientOf(x))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradientOf] the variable must be a parameter, or an input named by wantGradients,"
                + " with a computed gradient; got x f64[?]; call wantGradients with it and run"
                + " backward(loss) first.");
    executor.wantGradients(x, other);
    executor.backward(loss);
    assertThat(executor.gradientOf(x).toDoubleArray()).containsExactly(4, -12);
    assertThat(executor.gradientOf(other).toDoubleArray()).containsExactly(0, 0);
    assertThat(executor.gradientOf(w).toDoubleArray()).containsExactly(10);
    executor.set(x, CTX.tensor(new double[] {5, 0}));
    executor.backward(loss);
    assertThat(executor.gradientOf(x).toDoubleArray()).containsExactly(20, 0);
  }

  @Test
  void ofWhatTheLossIsComputedFrom() {
    Variable<F64> apart = Layers.sum(x.times(w));
    Variable<F64> fixed = Layers.apply("fixed", F64, v -> Ops.stopGradient(v.get(other)), other);
    Variable<F64> blocked = Layers.sum(x.times(w).plus(fixed));
    var executor = new Executor(CTX, loss, apart, blocked);
    executor.set(x, CTX.tensor(new double[] {1, -3}));
    executor.set(other, CTX.tensor(new double[] {1, 1}));
    executor.wantGradients(x, other);
    executor.backward(apart);
    assertThat(executor.gradientOf(x).toDoubleArray()).containsExactly(2, 2);
    assertThatThrownBy(() -> executor.gradientOf(other))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradientOf] the loss must be computed from the input; got loss "
                + apart
                + ", which never reads other f64[?]; compute the loss from it, or use"
                + " gradientOrZeroOf if zeros are intended.");
    assertThat(executor.gradientOrZeroOf(other).toDoubleArray()).containsExactly(0, 0);
    assertThat(executor.gradientOrZeroOf(w).toDoubleArray()).containsExactly(-2);
    // Computed from it, though without a slope: zeros, as of gradient(y, x).
    executor.backward(blocked);
    assertThat(executor.gradientOf(other).toDoubleArray()).containsExactly(0, 0);
    executor.forward();
    assertThatThrownBy(() -> executor.gradientOrZeroOf(other))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradientOrZeroOf] the variable must be a parameter, or an input named by"
                + " wantGradients, with a computed gradient; got other f64[?]; run backward(loss)"
                + " first.");
  }

  @Test
  void onlyOfInputs() {
    var executor = new Executor(CTX, loss);
    assertThatThrownBy(() -> executor.wantGradients(w))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[wantGradients] the variable must be a floating-point input of the model; got w"
                + " f64[1].");
    Variable<I32> numbers = Variable.input("numbers", I32, -1);
    assertThatThrownBy(() -> executor.wantGradients(numbers))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[wantGradients] the variable must be a floating-point input of the model; got numbers"
                + " i32[?].");
  }
}
