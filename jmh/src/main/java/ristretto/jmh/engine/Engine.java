package ristretto.jmh.engine;

import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;

/**
 * The engine's ways to do a line: an expression built before and assigned, and a recorded program.
 */
public final class Engine {
  private Engine() {}

  public static List<Competitor> competitors() {
    return List.of(new EngineCompetitor("ours", false), new EngineCompetitor("recorded", true));
  }

  /** Kernels that a line takes. */
  public static int kernels(Line line, Dims dims) {
    try (Context context = Context.open()) {
      Expr<F32> expression =
          Expressions.of(line.name(), EngineCompetitor.inputs(context, line, dims));
      return context.explain(expression).kernelCount();
    }
  }
}
