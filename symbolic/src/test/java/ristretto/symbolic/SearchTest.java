package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/** Search over many configurations in one context. */
class SearchTest {
  private static final int CONFIGURATIONS = 100;

  /** Trains a model of its own sizes, rate and optimizer for some steps. */
  private static void train(Context ctx, int number) {
    Variable<F32> x = Variable.input("x", F32, -1, 64);
    Variable<F32> hidden = Layers.relu(Layers.dense("a", x, 256 + number));
    Variable<F32> loss = Layers.mean(Layers.square(Layers.dense("b", hidden, 8)));
    var executor = new Executor(ctx, number, loss);
    executor.set(x, Ops.uniform(F32, number, 32, 64));
    Optimizer optimizer =
        number % 2 == 0 ? Optimizer.adam(0.001 * (1 + number)) : Optimizer.sgd(0.01);
    for (int k = 0; k < 3; k++) {
      executor.step(loss, optimizer);
    }
    assertThat(executor.tensor(loss).item()).isFinite();
  }

  private static long usedAfterCollection(Context ctx) throws InterruptedException {
    long used = ctx.stats().bytesAllocated();
    for (int k = 0; k < 20; k++) {
      System.gc();
      Thread.sleep(20);
      // Freed memory is returned when a tensor is made.
      ctx.zeros(F32, 1);
      used = Math.min(used, ctx.stats().bytesAllocated());
    }
    return used;
  }

  @Test
  void aSearchHoldsItsMemoryFlat() throws InterruptedException {
    try (var ctx = Context.open()) {
      train(ctx, 0);
      train(ctx, 1);
      long few = usedAfterCollection(ctx);
      long compiled = ctx.stats().cacheMisses();
      for (int k = 2; k < CONFIGURATIONS; k++) {
        train(ctx, k);
      }
      // One model with its optimizer takes about 300 kB; 98 of them would take 30 MB.
      assertThat(usedAfterCollection(ctx)).isLessThan(few + (2 << 20));
      // Kernels contain no sizes: new ones are few.
      assertThat(ctx.stats().cacheMisses() - compiled).isLessThan(60);
    }
  }
}
