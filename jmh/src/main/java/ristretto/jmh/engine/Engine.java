package ristretto.jmh.engine;

import static ristretto.expr.Ops.F32;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;

/**
 * Competitors of the engine: assignment of a prebuilt expression, and a recorded program. All share
 * one context and its compiled kernels.
 */
public final class Engine implements AutoCloseable {
  private final Context context;

  /**
   * Opens a context.
   *
   * @param device name of the device for {@link Context#open(String)}
   */
  public Engine(String device) {
    context = Context.open(device);
  }

  public List<Competitor> competitors() {
    return List.of(
        new EngineCompetitor("ours", context, false),
        new EngineCompetitor("recorded", context, true));
  }

  /**
   * Runs all {@code lines} at their smallest size until their kernels are compiled to vector code.
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

  /** Number of kernels of a line. */
  public static int kernels(String device, Line line, Dims dims) {
    try (Context context = Context.open(device)) {
      Expr<F32> expression =
          Expressions.of(line.name(), EngineCompetitor.inputs(context, line, dims));
      return context.explain(expression).kernelCount();
    }
  }

  /** Describes the device for users. */
  public String device() {
    return context.device() + ", " + context.deviceDescription();
  }

  /** Index of the device among devices of its kind. */
  public int index() {
    String name = context.device();
    int colon = name.indexOf(':');
    return colon < 0 ? 0 : Integer.parseInt(name.substring(colon + 1));
  }

  @Override
  public void close() {
    context.close();
  }
}
