package ristretto.jmh.engine;

import static ristretto.expr.Ops.F32;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.LoopJob;

/**
 * The engine as a competitor, by assignment or by a recorded program. The context reclaims a line's
 * memory when it becomes unreachable.
 */
final class EngineCompetitor implements Competitor {
  private final String name;
  private final Context context;
  private final boolean recorded;

  EngineCompetitor(String name, Context context, boolean recorded) {
    this.name = name;
    this.context = context;
    this.recorded = recorded;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    if (recorded && dims.rank() == 1 && dims.product() > 1_000_000) {
      return new NotOffered();
    }
    try {
      List<Tensor<F32>> inputs = inputs(context, line, dims);
      Expr<F32> expression = Expressions.of(line.name(), inputs);
      Tensor<F32> result = context.empty(F32, expression.shape());
      var probe = new Result(result);
      Runnable work = () -> context.assign(result, expression);
      if (recorded) {
        Program program = context.record(work);
        work = program::run;
      }
      Runnable counted = work;
      return new Ready(
          new LoopJob(
              () -> {
                counted.run();
                probe.changed = true;
              },
              context::synchronize,
              probe::at,
              () -> {}));
    } catch (RuntimeException | Error e) {
      return new Skipped("failed: " + e);
    }
  }

  static List<Tensor<F32>> inputs(Context context, Line line, Dims dims) {
    var inputs = new ArrayList<Tensor<F32>>();
    for (int k = 0; k < line.inputs().size(); k++) {
      Input input = line.inputs().get(k);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment data = arena.allocate(4 * input.length().applyAsLong(dims), 64);
        Input.fill(data, k, input.low(), input.high());
        inputs.add(context.tensor(F32, data, Expressions.inputShape(line.name(), dims, k)));
      }
    }
    return inputs;
  }

  /** Result that is copied to the host once per run, for any number of probed elements. */
  private static final class Result {
    private final Tensor<F32> tensor;
    private float[] values;
    boolean changed = true;

    Result(Tensor<F32> tensor) {
      this.tensor = tensor;
    }

    double at(long index) {
      if (changed) {
        values = tensor.toFloatArray();
        changed = false;
      }
      float value = values[(int) index];
      return value;
    }
  }
}
