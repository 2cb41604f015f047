package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.uniform;

import java.lang.ref.WeakReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.run.RunCache;

/** Programs that an executor keeps. */
class RunCacheTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F32> x = Variable.input("x", F32, -1, 4);
  private final Variable<F32> y = Layers.dense("fc", x, 3);
  private final Variable<F32> loss = Layers.mean(y);
  private final Executor executor = new Executor(CTX, 1, y, loss);

  private void forward(int n) {
    executor.set(x, uniform(F32, n, n, 4));
    executor.forward();
  }

  @Test
  void thoseNotUsedForLongMakePlaceAndTheirMemoryGoesBack() throws Exception {
    forward(5);
    var dropped = new WeakReference<Tensor<F32>>(executor.tensor(y));
    forward(3);
    Tensor<F32> kept = executor.tensor(y);
    for (int n = 10; n < 10 + 2 * RunCache.MOST; n++) {
      forward(n);
      forward(3);
    }
    assertThat(executor.session().runs().size()).isEqualTo(RunCache.MOST);
    assertThat(executor.tensor(y)).isSameAs(kept);
    for (int k = 0; k < 50 && !dropped.refersTo(null); k++) {
      System.gc();
      Thread.sleep(20);
    }
    assertThat(dropped.refersTo(null)).isTrue();
    // Recorded again, the same values.
    float[] last = kept.toFloatArray();
    forward(5);
    forward(3);
    assertThat(executor.tensor(y).toFloatArray()).isEqualTo(last);
  }

  private String miss(Runnable run) {
    RunCache runs = executor.session().runs();
    var before = new RunCache();
    if (runs.size() > 0) {
      before.add(executor.session().last(), executor.inputs(), 0);
    }
    run.run();
    return before.explainMiss(executor.session().last(), executor.inputs(), 12.4);
  }

  @Test
  void missesAreExplained() {
    assertThat(miss(() -> forward(2)))
        .isEqualTo("[cache] new program of forward x[2,4] because it is the first (12 ms, 1 kept)");
    assertThat(miss(() -> forward(7)))
        .isEqualTo("[cache] new program of forward x[7,4] because x [2,4]->[7,4] (12 ms, 2 kept)");
    assertThat(miss(() -> executor.backward(loss)))
        .isEqualTo(
            "[cache] new program of backward x[7,4] because forward->backward (12 ms, 2 kept)");
    assertThat(miss(() -> executor.step(loss, Optimizer.sgd(0.1))))
        .isEqualTo("[cache] new program of step x[7,4] because backward->step (12 ms, 2 kept)");
    assertThat(miss(() -> executor.step(loss, Optimizer.sgd(0.1).named("other"))))
        .isEqualTo(
            "[cache] new program of step x[7,4] because optimizer sgd->other (12 ms, 2" + " kept)");
  }

  @Test
  void constantInputsNeedNoOtherProgram() {
    forward(2);
    Tensor<F32> first = executor.tensor(y);
    executor.set(x, fill(F32, 1, 2, 4));
    executor.forward();
    assertThat(executor.tensor(y)).isSameAs(first);
    assertThat(executor.session().runs().size()).isEqualTo(1);
  }
}
