package ristretto.nnet3.fit;

import java.util.List;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Passes;
import ristretto.nnet3.component.EditLog;
import ristretto.nnet3.component.Edits;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.train.ComputeProb;

/** Objective and accuracy of a network on examples, in evaluation mode. */
record Measured(double objective, double accuracy) {
  static Measured of(Nnet nnet, List<NnetExample> examples, Passes passes) {
    Nnet test =
        new Edits(nnet, EditLog.NONE)
            .setBatchNormTestMode(true)
            .setDropoutTestMode(true)
            .collapse()
            .nnet();
    try (Context context = passes.open()) {
      var prob = new ComputeProb(context, test, false).choose(passes.choices());
      examples.forEach(example -> prob.accept(example, true));
      return new Measured(
          prob.objectives().get("output").average(), prob.accuracies().get("output"));
    }
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }
}
