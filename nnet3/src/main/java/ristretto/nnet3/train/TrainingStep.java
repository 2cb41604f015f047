package ristretto.nnet3.train;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.nnet3.compile.ForwardBackward;

/**
 * Training step on minibatches of one structure, from examples to updated parameters: one program,
 * or two with host work between them.
 *
 * @param <E> kind of examples
 */
final class TrainingStep<E> {
  private final Context context;
  private final ForwardBackward pass;
  private final StepObjectives<E> objectives;
  private final List<Program> programs = new ArrayList<>();
  private ObjectiveTotals totals;
  private String suffix;
  private Preconditioners.Finish preconditioners;
  private StepStatistics.Finish statistics;

  TrainingStep(Context context, ForwardBackward pass, StepObjectives<E> objectives) {
    this.context = context;
    this.pass = pass;
    this.objectives = objectives;
  }

  /** Uploads a minibatch. */
  void supply(E minibatch) {
    objectives.set(minibatch);
  }

  /**
   * Records the programs, or runs the step once without recording, when preconditioners and totals
   * are still to be created.
   */
  void make(Parts parts, boolean record) {
    totals = parts.totals;
    suffix = parts.suffix;
    if (objectives.usesHost()) {
      make(() -> pass.forward(parts.changes), record);
      if (!record) {
        objectives.compute(totals, suffix);
      }
      make(() -> backward(parts), record);
    } else {
      make(
          () -> {
            pass.forward(parts.changes);
            backward(parts);
          },
          record);
    }
    preconditioners = parts.preconditioners.finish();
    statistics = parts.statistics.finish();
  }

  private void make(Runnable body, boolean record) {
    if (record) {
      programs.add(context.recordOnly(body));
    } else {
      body.run();
    }
  }

  /**
   * Objects that a step uses.
   *
   * @param suffix appended to the outputs' names in totals
   */
  record Parts(
      ParameterUpdates changes,
      UpdateWithMaxChange update,
      ObjectiveTotals totals,
      String suffix,
      Preconditioners preconditioners,
      StepStatistics statistics) {}

  private void backward(Parts parts) {
    objectives.assign(parts.totals, parts.suffix);
    pass.backward(parts.changes);
    parts.changes.finish();
    parts.update.assign();
  }

  /** Runs the recorded programs, if any, and the host work between and after them. */
  void run() {
    for (int k = 0; k < programs.size(); k++) {
      if (k > 0) {
        objectives.compute(totals, suffix);
      }
      programs.get(k).run();
    }
    preconditioners.run();
    statistics.run();
  }

  /** Prints the matrices and assignments of a recorded step. */
  String print() {
    return String.join("\n", programs.stream().map(pass::print).toList());
  }

  /** Returns the names of the outputs. */
  Iterable<String> outputs() {
    return objectives.outputs();
  }
}
