package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.normal;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

class RecomputeTest {
  private static final Context CTX = Context.open();
  private static final int LAYERS = 12;
  private static final int KEPT = 4;

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** A deep network; every fourth layer's output is kept, the others' are computed again. */
  private static Executor run(boolean again, Variable<F64> x) {
    Variable<F64> v = x;
    for (int k = 0; k < LAYERS; k++) {
      v = Layers.batchNorm("norm" + k, Layers.dense("layer" + k, v, 16));
      v = again ? v.recompute() : v;
      v = Layers.dropout(Layers.tanh(v), 0.1);
      v = again && k % KEPT != KEPT - 1 ? v.recompute() : v;
    }
    Variable<F64> loss = Layers.sum(v.times(v));
    var executor = new Executor(CTX, 5, loss);
    executor.set(x, normal(F64, 3, 40, 16));
    executor.backward(loss);
    executor.backward(loss);
    return executor;
  }

  @Test
  void lessMemoryAndTheSameBits() {
    Variable<F64> x = Variable.input("x", F64, -1, 16);
    Executor kept = run(false, x);
    Executor again = run(true, x);
    List<Variable<?>> parameters = kept.parameters();
    List<Variable<?>> same = again.parameters();
    for (int k = 0; k < parameters.size(); k++) {
      assertThat(again.gradientOf(same.get(k)).as(F64).toDoubleArray())
          .as(parameters.get(k).name())
          .containsExactly(kept.gradientOf(parameters.get(k)).as(F64).toDoubleArray());
    }
    assertThat(again.temporaryBytes()).isLessThan(kept.temporaryBytes() * 3 / 4);
    assertThat(again.explain().kernelCount()).isGreaterThan(kept.explain().kernelCount());
  }

  @Test
  void onlyWhatIsComputed() {
    Variable<F64> x = Variable.input("x", F64, -1, 16);
    assertThatThrownBy(x::recompute)
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[recompute] the variable must be the output of an operator; got x" + " f64[?,16].");
  }
}
