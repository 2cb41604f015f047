package ristretto.nnet3.train;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetExample;

/**
 * Training step on minibatches of one structure, from examples to updated parameters, in one
 * program.
 */
final class TrainingStep {
  private final Context context;
  private final ForwardBackward pass;
  private final Objectives objectives;
  private final MinibatchTensors supplies;
  private Program program;
  private Preconditioners.Finish preconditioners;
  private StepStatistics.Finish statistics;

  TrainingStep(Context context, ForwardBackward pass, NnetExample like, Objectives objectives) {
    this.context = context;
    this.pass = pass;
    this.objectives = objectives;
    this.supplies = new MinibatchTensors(context, pass, like);
    supplies.set(like);
  }

  /** Uploads a minibatch. */
  void supply(NnetExample minibatch) {
    supplies.set(minibatch);
  }

  /**
   * Records the program, or runs the step once without recording, when preconditioners and totals
   * are still to be created.
   */
  void make(Parts parts, boolean record) {
    Runnable body = () -> assign(parts);
    if (record) {
      program = context.recordOnly(body);
    } else {
      body.run();
    }
    preconditioners = parts.preconditioners.finish();
    statistics = parts.statistics.finish();
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

  private void assign(Parts parts) {
    pass.forward(parts.changes);
    for (String name : supplies.outputs()) {
      Objective objective = objectives.of(name);
      Tensor<F32> output = pass.outputs().get(name);
      Expr<F32> target = supplies.targets(name);
      parts.totals.add(context, name + parts.suffix, objective, output, target);
      pass.derivative(name, objective.derivative(output, target));
    }
    pass.backward(parts.changes);
    parts.changes.finish();
    parts.update.assign();
  }

  /** Runs the recorded program, if any, and the host work after it. */
  void run() {
    if (program != null) {
      program.run();
    }
    preconditioners.run();
    statistics.run();
  }

  /** Prints the matrices and assignments of a recorded step. */
  String print() {
    return pass.print(program);
  }

  /** Returns the names of the outputs. */
  Iterable<String> outputs() {
    return supplies.outputs();
  }
}
