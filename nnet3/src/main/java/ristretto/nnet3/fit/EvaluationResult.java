package ristretto.nnet3.fit;

import java.util.List;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.nnet3.CompileSettings;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ComputeProb;

/** Objective and accuracy of a network on examples, in evaluation mode. */
record EvaluationResult(double objective, double accuracy) {
  static EvaluationResult of(Nnet nnet, List<NnetExample> examples, CompileSettings settings) {
    Nnet test =
        new NetworkEdits(nnet, EditLog.NONE)
            .setBatchNormTestMode(true)
            .setDropoutTestMode(true)
            .collapse()
            .nnet();
    try (Context context = settings.open()) {
      var prob = new ComputeProb(context, test, false).lowering(settings.lowering());
      examples.forEach(example -> prob.accept(example, true));
      return new EvaluationResult(
          prob.objectives().get("output").average(), prob.accuracies().get("output"));
    }
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }
}
