package ristretto.jmh.engine;

import static ristretto.expr.Ops.F32;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;

/**
 * The engine's ways to do a line: an expression built before and assigned, and a recorded program.
 * All share one context, whose kernels stay.
 */
public final class Engine implements AutoCloseable {
  private final Context context = Context.open();

  public List<Competitor> competitors() {
    return List.of(
        new EngineCompetitor("ours", context, false),
        new EngineCompetitor("recorded", context, true));
  }

  /**
   * Runs all {@code lines} at their least size for some time, so that their kernels become vector
   * code.
   */
  public void warm(List<Line> lines, long nanosEach) {
    var work = new ArrayList<Runnable>();
    for (Line line : lines) {
      Dims dims = line.sizes().getFirst();
      Expr<F32> expression =
          Expressions.of(line.name(), EngineCompetitor.inputs(context, line, dims));
      Tensor<F32> result = context.empty(F32, expression.shape());
      work.add(() -> context.assign(result, expression));
    }
    long end = System.nanoTime() + nanosEach * lines.size();
    while (System.nanoTime() < end) {
      work.forEach(Runnable::run);
    }
  }

  /** Kernels that a line takes. */
  public static int kernels(Line line, Dims dims) {
    try (Context context = Context.open()) {
      Expr<F32> expression =
          Expressions.of(line.name(), EngineCompetitor.inputs(context, line, dims));
      return context.explain(expression).kernelCount();
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
