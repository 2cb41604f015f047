package ristretto.symbolic.run;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.state.Precision;
import ristretto.symbolic.state.TrainingState;

/** Recorded parameter updates outside of a backward pass. */
public final class UpdatePrograms {
  private final Context ctx;
  private final TrainingState training;
  private final Map<Update, Program> programs = new HashMap<>();

  /**
   * Key of an update.
   *
   * @param some parameters to update
   */
  private record Update(Optimizer optimizer, List<Variable<?>> some) {}

  public UpdatePrograms(Context ctx, TrainingState training) {
    this.ctx = ctx;
    this.training = training;
  }

  /** Updates the parameters that the last backward pass has reached. */
  public void run(Optimizer optimizer, Precision precision) {
    training.prepare(optimizer);
    var update = new Update(optimizer, training.updatable(optimizer));
    programs.computeIfAbsent(update, _ -> record(update, precision)).run();
    training.updated();
  }

  private Program record(Update update, Precision precision) {
    training.optimizers().updates(update.optimizer, update.some);
    return ctx.recordTransient(() -> {
      training.prepareUpdate(update.optimizer, Optional.empty(), precision, update.some);
      training.update(update.optimizer, update.some);
    });
  }

  /** Forgets all programs. */
  public void clear() {
    programs.clear();
  }
}
