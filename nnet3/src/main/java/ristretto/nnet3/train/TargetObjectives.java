package ristretto.nnet3.train;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetExample;

/** Objectives of outputs that have targets, one row per row of the output. */
final class TargetObjectives implements StepObjectives<NnetExample> {
  private final Context context;
  private final ForwardBackward pass;
  private final Objectives objectives;
  private final MinibatchTensors supplies;

  TargetObjectives(Context context, ForwardBackward pass, NnetExample like, Objectives objectives) {
    this.context = context;
    this.pass = pass;
    this.objectives = objectives;
    this.supplies = new MinibatchTensors(context, pass, like);
    supplies.set(like);
  }

  @Override
  public void set(NnetExample minibatch) {
    supplies.set(minibatch);
  }

  @Override
  public Iterable<String> outputs() {
    return supplies.outputs();
  }

  @Override
  public boolean usesHost() {
    return false;
  }

  @Override
  public void compute(ObjectiveTotals totals, String suffix) {}

  @Override
  public void assign(ObjectiveTotals totals, String suffix) {
    for (String name : supplies.outputs()) {
      Objective objective = objectives.of(name);
      Tensor<F32> output = pass.outputs().get(name);
      Expr<F32> target = supplies.targets(name);
      totals.add(context, name + suffix, objective, output, target);
      pass.derivative(name, objective.derivative(output, target));
    }
  }
}
