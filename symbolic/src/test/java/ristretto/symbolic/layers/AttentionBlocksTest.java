package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.dot;
import static ristretto.symbolic.Layers.sum;
import static ristretto.symbolic.Layers.tanh;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Attention beside the same as one expression, where its weights are cut into blocks. */
class AttentionBlocksTest {
  private static Variable<F64> operand(String name, long... shape) {
    return Variable.parameter(name, F64, Initializer.normal(1), shape);
  }

  /** Several matrices at a time; some rows of one; both with rows that see no later ones. */
  @ParameterizedTest
  @CsvSource({"5, 200, 300, false", "1, 700, 500, false", "2, 600, 600, true"})
  void isTheProductOfAllWeights(long batch, long m, long n, boolean causal) {
    Variable<F64> q = operand("q", batch, m, 3);
    Variable<F64> k = operand("k", batch, n, 3);
    Variable<F64> v = operand("v", batch, n, 2);
    Variable<F64> y = causal ? Layers.causalAttention(q, k, v) : Layers.attention(q, k, v);
    Variable<F64> same =
        Layers.apply(
            "product",
            F64,
            x -> {
              Expr<F64> scores = dot(x.get(q), x.get(k).permute(0, 2, 1)).div(Math.sqrt(3));
              Expr<F64> seen =
                  Ops.mapIndexed(
                      Ops.fill(F64, 0, m, n),
                      (zero, i) -> i % n <= i / n ? zero : Double.NEGATIVE_INFINITY);
              return dot(Ops.softmax(causal ? scores.plus(seen) : scores, -1), x.get(v));
            },
            q,
            k,
            v);
    List<Variable<F64>> losses = List.of(sum(tanh(y)), sum(tanh(same)));
    try (Context ctx = Context.open()) {
      var executor = new Executor(ctx, 7, losses.get(0), losses.get(1));
      executor.backward(losses.get(1));
      double loss = executor.tensor(losses.get(1)).item();
      List<double[]> wanted =
          List.of(q, k, v).stream().map(p -> executor.gradientOf(p).toDoubleArray()).toList();
      executor.backward(losses.get(0));
      assertThat(executor.tensor(losses.get(0)).item()).isCloseTo(loss, within(1e-9));
      for (int i = 0; i < 3; i++) {
        assertThat(executor.gradientOf(List.of(q, k, v).get(i)).toDoubleArray())
            .containsExactly(wanted.get(i), within(1e-9));
      }
      // Alone, it adds up where the parameters' gradients are kept.
      var alone = new Executor(ctx, 7, losses.get(0));
      alone.backward(losses.get(0));
      for (int i = 0; i < 3; i++) {
        assertThat(alone.gradientOf(List.of(q, k, v).get(i)).toDoubleArray())
            .containsExactly(wanted.get(i), within(1e-9));
      }
      Variable<F64> others = sum(q).plus(sum(k)).plus(sum(v));
      Variable<F64> shared = losses.get(0).plus(others.times(0));
      var together = new Executor(ctx, 7, shared);
      together.backward(shared);
      long gradients = 8 * batch * (3 * m + 3 * n + 2 * n);
      assertThat(together.temporaryBytes() - alone.temporaryBytes())
          .isGreaterThanOrEqualTo(gradients);
    }
  }
}
