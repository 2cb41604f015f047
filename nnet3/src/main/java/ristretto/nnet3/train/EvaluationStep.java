package ristretto.nnet3.train;

import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetExample;

/** Program that evaluates the objectives of minibatches of one structure. */
final class EvaluationStep {
  private final ForwardBackward pass;
  private final MinibatchTensors supplies;
  private final Program program;

  EvaluationStep(
      Context context,
      ForwardBackward pass,
      NnetExample like,
      Objectives objectives,
      ObjectiveTotals totals) {
    this.pass = pass;
    this.supplies = new MinibatchTensors(context, pass, like);
    // before recording, so that wrong targets are rejected
    supplies.set(like);
    this.program =
        context.recordOnly(() -> {
          pass.forward((_, _, _, _) -> {});
          for (String name : supplies.outputs()) {
            totals.add(
                context,
                name,
                objectives.of(name),
                pass.outputs().get(name),
                supplies.targets(name));
          }
        });
  }

  void run(NnetExample minibatch) {
    supplies.set(minibatch);
    program.run();
  }

  /** Prints the matrices and assignments. */
  String print() {
    return pass.print(program);
  }

  Map<String, Tensor<F32>> outputs() {
    return pass.outputs();
  }
}
