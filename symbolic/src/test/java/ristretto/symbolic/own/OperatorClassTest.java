package ristretto.symbolic.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.gradient;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Formula;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;

/** Operators of users' own classes, outside of the library's package. */
class OperatorClassTest {
  private static final Context CTX = Context.open();

  private final Variable<F64> w = Variable.parameter("w", F64, Initializer.constant(1.5), 2);

  /** Inlined where it is read: cheap, and read by one operator. */
  private final Variable<F64> y = Layers.apply("y", F64, v -> Ops.square(v.get(w)).times(3), w);

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Keeps the expression of its forward pass for the backward pass. */
  private static final class Own extends Operator {
    private final Formula<F64> formula;
    private final Variable<F64> z;
    private Expr<F64> value;

    Own(String name, Formula<F64> formula, Variable<F64> shape, Variable<?>... inputs) {
      super(name, List.of(inputs));
      this.formula = formula;
      this.z = output(F64, shape.dims());
    }

    @Override
    protected void forward(OperatorContext x) {
      value = formula.of(x);
      x.assign(z, value);
    }

    @Override
    protected void backward(OperatorContext x) {
      x.addGradients(value, x.gradient(z), inputs());
    }
  }

  @Test
  void gradientsAcrossOtherOperatorsAreRefused() {
    Variable<F64> slope = new Own("slope", v -> gradient(Ops.sum(v.get(y)), v.get(w)), w, y, w).z;
    assertThatThrownBy(() -> new Executor(CTX, slope).forward())
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[gradient] an operator class must not take gradients across other operators; got"
                + " slope, which takes one across the operator of y f64[2]; make it with"
                + " Layers.apply.");
  }

  @Test
  void gradientsOfItsOwnFormulaAreNone() {
    // The slope of y^3 at y = 6.75, and its own slope 6 y, through that of y = 3 w^2.
    Variable<F64> slope =
        new Own("slope", v -> gradient(Ops.sum(v.get(y).pow(3)), v.get(y)), w, y, w).z;
    Variable<F64> loss = Layers.sum(slope);
    var executor = new Executor(CTX, slope, loss);
    executor.backward(loss);
    assertThat(executor.tensor(slope).toDoubleArray()[0])
        .isCloseTo(3 * 6.75 * 6.75, org.assertj.core.api.Assertions.within(1e-9));
    assertThat(executor.gradientOf(w).toDoubleArray()[1])
        .isCloseTo(6 * 6.75 * 9, org.assertj.core.api.Assertions.within(1e-9));
    assertThat(executor.explain().kernelCount()).isPositive();
  }

  private static String refused(Variable<?> across) {
    return "[gradient] an operator class must not take gradients across other operators; got"
        + " slope, which takes one across the operator of "
        + across
        + "; make it with Layers.apply.";
  }

  private static void assertRefused(String message, Variable<?>... outputs) {
    assertThatThrownBy(() -> new Executor(CTX, outputs).forward())
        .isInstanceOf(ShapeException.class)
        .hasMessage(message);
  }

  /** A part of the path, whatever it is computed from, and whether it is in memory or not. */
  @Test
  void partialGradientsAcrossOtherOperatorsAreRefused() {
    Variable<F64> slope =
        new Own("slope", v -> gradient(Ops.sum(v.get(y).times(v.get(w))), v.get(w)), w, y, w).z;
    assertRefused(refused(y), slope);
    // An output is in memory.
    assertRefused(refused(y), slope, y);
    Variable<F64> z = Layers.apply("z", F64, v -> Ops.tanh(v.get(y)), y);
    Variable<F64> far =
        new Own("slope", v -> gradient(Ops.sum(v.get(z).times(v.get(w))), v.get(w)), w, z, w).z;
    assertRefused(refused(z), far, z, y);
    Variable<F64> near =
        new Own("slope", v -> gradient(Ops.sum(v.get(z).times(v.get(y))), v.get(y)), w, z, y).z;
    assertRefused(refused(z), near);
    assertRefused(refused(z), near, z);
    assertRefused(refused(z), near, z, y);
  }

  @Test
  void whatIsReadIsNamed() {
    Variable<F64> slope = new Own("slope", v -> v.get(y).times(v.get(w)), w, w).z;
    assertRefused(
        "[get] an operator must declare the variables it reads as inputs; got y f64[2] in slope.",
        slope);
    Variable<F64> other = new Own("slope", v -> v.get(y).times(v.get(w)), w, y).z;
    assertRefused(
        "[get] an operator must declare the variables it reads as inputs; got w f64[2] in slope.",
        other);
  }

  /** A backward pass may treat one input by formula and another one by hand. */
  private static final class Half extends Operator {
    private final Variable<F64> y;
    private final Variable<F64> w;
    private final Variable<F64> z;

    Half(Variable<F64> y, Variable<F64> w) {
      super("half", List.of(y, w));
      this.y = y;
      this.w = w;
      this.z = output(F64, w.dims());
    }

    @Override
    protected void forward(OperatorContext x) {
      x.assign(z, x.get(y).times(x.get(w)));
    }

    @Override
    protected void backward(OperatorContext x) {
      Expr<F64> dz = x.gradient(z);
      x.addGradients(x.get(y).times(x.get(w)), dz, List.of(w));
      x.addGradient(y, dz.times(x.get(w)));
    }
  }

  @Test
  void inputsMayBeTreatedApart() {
    Variable<F64> loss = Layers.sum(new Half(y, w).z);
    for (var outputs : List.of(List.of(loss), List.of(loss, y))) {
      var executor = new Executor(CTX, outputs.toArray(Variable<?>[]::new));
      executor.backward(loss);
      // The slope of 3 w^3.
      assertThat(executor.gradientOf(w).toDoubleArray()).containsExactly(20.25, 20.25);
    }
  }

  /** Keeps the context that it is passed. */
  private static final class Keeping extends Operator {
    private final Variable<F64> w;
    private final Variable<F64> z;
    private OperatorContext context;

    Keeping(Variable<F64> w) {
      super("keeping", List.of(w));
      this.w = w;
      this.z = output(F64, w.dims());
    }

    @Override
    protected void forward(OperatorContext x) {
      context = x;
      x.assign(z, x.get(w));
    }

    @Override
    protected void backward(OperatorContext x) {
      x.addGradient(w, x.gradient(z));
    }
  }

  @Test
  void contextsAreForTheirOperators() {
    var keeping = new Keeping(w);
    new Executor(CTX, keeping.z).forward();
    OperatorContext kept = keeping.context;
    assertThatThrownBy(() -> kept.assign(keeping.z, Ops.fill(F64, 0, 2)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[assign] a context must be used by the operator that it is passed to, while the"
                + " operator is recorded; got a call from elsewhere; call set, tensor or gradientOf"
                + " of the executor there.");
    assertThatThrownBy(kept::seed).hasMessageStartingWith("[seed] a context must be used by");
    assertThatThrownBy(() -> kept.workspace("w", F64, 2)).isInstanceOf(ShapeException.class);
    assertThatThrownBy(() -> kept.gradient(keeping.z)).isInstanceOf(ShapeException.class);
  }
}
