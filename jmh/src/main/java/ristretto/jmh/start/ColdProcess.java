package ristretto.jmh.start;

import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.engine.ColdLine;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Lines;

/**
 * New process that repeats one line over a million elements for some seconds, and prints three
 * numbers: milliseconds of the first call, seconds until full speed, microseconds per call at full
 * speed.
 */
final class ColdProcess {
  private static final long RUN_NANOS = 2_800_000_000L;
  private static final int MOST_CALLS = 200_000;

  /** Maximum time of a call at full speed, relative to the fastest; the margin covers noise. */
  private static final double FULL_SPEED = 1.3;

  private ColdProcess() {}

  public static void main(String[] args) {
    try (Context context = Context.open()) {
      Dims dims = Dims.of(1_000_000);
      List<Tensor<F32>> inputs = ColdLine.inputs(context, Lines.named(args[0]), dims);
      Tensor<F32> y = context.empty(inputs.getFirst().dtype(), inputs.getFirst().shape());
      long[] ends = new long[MOST_CALLS];
      long start = System.nanoTime();
      Expr<F32> expression = ColdLine.of(args[0], inputs);
      int calls = 0;
      while (calls < MOST_CALLS) {
        context.assign(y, expression);
        ends[calls] = System.nanoTime() - start;
        if (ends[calls++] > RUN_NANOS) {
          break;
        }
      }
      long best = Long.MAX_VALUE;
      for (int k = 1; k < calls; k++) {
        best = Math.min(best, ends[k] - ends[k - 1]);
      }
      System.out.println(
          ends[0] / 1e6 + " " + fullSpeed(ends, calls, best) / 1e9 + " " + best / 1e3);
    }
  }

  /** Start of the first ten consecutive calls of which a majority is fast. */
  private static long fullSpeed(long[] ends, int calls, long best) {
    for (int k = 1; k + 10 < calls; k++) {
      int fast = 0;
      for (int j = k; j < k + 10; j++) {
        fast += ends[j] - ends[j - 1] <= FULL_SPEED * best ? 1 : 0;
      }
      if (fast >= 6) {
        return ends[k - 1];
      }
    }
    return ends[calls - 1];
  }
}
