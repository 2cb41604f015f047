package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.uniform;
import static ristretto.symbolic.Layers.conv;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.flatten;
import static ristretto.symbolic.Layers.maxPool;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.Stats;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;

/** Cost of a step that has been recorded. */
class ReplayTest {
  private static final int STEPS = 20;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final Variable<F32> x = Variable.input("x", F32, -1, 1, 8, 8);
  private final Variable<I32> label = Variable.input("label", I32, -1);

  private Variable<F32> model(String kind) {
    return switch (kind) {
      case "perceptron" -> relu(dense("first", flatten(x), 16));
      case "convolution", "convolution of our own" ->
          flatten(
              maxPool(
                  relu(conv("first", x, 4, Window.of(3, 3).padding(1, 1))),
                  Window.of(2, 2).stride(2, 2)));
      case "recurrent" ->
          Layers.slice(
              Recurrent.of(Cell.lstm(), 8)
                  .over("first", Layers.permute(Layers.reshape(x, -1, 8, 8), 1, 0, 2))
                  .outputs(),
              ristretto.expr.Ops.at(-1));
      default -> throw new IllegalArgumentException(kind);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"perceptron", "convolution", "convolution of our own", "recurrent"})
  void aStepAllocatesNothing(String kind) {
    boolean own = kind.endsWith("own");
    Variable<F32> loss = softmaxCrossEntropy(dense("last", model(kind), 4), label);
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Optimizer optimizer = Optimizer.adam(0.001).clip(1);
    try (Context ctx = LibraryContexts.open(own ? "own" : "auto", 2)) {
      assertThat(LibraryContexts.convolves(ctx)).isEqualTo(!own);
      var executor = new Executor(ctx, loss);
      executor.set(x, uniform(F32, 1, 6, 1, 8, 8));
      executor.set(label, ctx.arange(I32, 6).rem(4));
      long start = System.nanoTime();
      long least = Long.MAX_VALUE;
      Stats warm = ctx.stats();
      // Until code is compiled, the JVM allocates for it.
      while (least > 0 && System.nanoTime() - start < PATIENCE_NANOS) {
        warm = ctx.stats();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int k = 0; k < STEPS; k++) {
          executor.step(loss, optimizer);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(least).as("bytes of %d steps", STEPS).isZero();
      assertThat(ctx.stats().peakBytes()).isEqualTo(warm.peakBytes());
      assertThat(ctx.stats().bytesAllocated()).isEqualTo(warm.bytesAllocated());
    }
  }
}
