package ristretto.symbolic.run;

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;

/** Time step numbers, in memory that all runs share and no kernel writes. */
public final class StepNumbers {
  private final Context ctx;
  private Tensor<I32> all;

  public StepNumbers(Context ctx) {
    this.ctx = ctx;
  }

  /** Returns the numbers 0 to steps - 1, {@code [steps, 1, 1]}. */
  Tensor<I32> below(long steps) {
    if (all == null || all.shape().dim(0) < steps) {
      // Grows by powers of two, so that runs of many lengths hold few copies.
      int count = Math.max(1, Integer.highestOneBit(Math.toIntExact(steps) - 1) << 1);
      all = ctx.lasting(Ops.I32, Shape.of(count, 1, 1));
      ctx.copy(MemorySegment.ofArray(IntStream.range(0, count).toArray()), all);
    }
    return all.slice(Ops.range(0, steps));
  }
}
