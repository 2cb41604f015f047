package ristretto.nnet3.train;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.nnet3.Choices;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.component.EditLog;
import ristretto.nnet3.component.Edits;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.io.Matrix;

/** Class priors of a network: its average posteriors, by which decoding divides the posteriors. */
public final class Priors {
  private static final int CACHE = 64;

  private Priors() {}

  /** Returns the average posteriors of a network that outputs log-probabilities. */
  public static float[] of(
      Context context, Nnet nnet, List<NnetExample> examples, Choices choices) {
    Nnet test =
        new Edits(nnet, EditLog.NONE).setBatchNormTestMode(true).setDropoutTestMode(true).nnet();
    var resident = new Resident(context);
    resident.choose(choices);
    var compiler = new Compiler(test, resident, CACHE);
    var sums = new double[nnet.outputDim("output")];
    double all = 0;
    for (NnetExample example : examples) {
      Map<String, Matrix> inputs = new HashMap<>();
      for (NnetIo io : example.io()) {
        if (nnet.inputDim(io.name()) >= 0) {
          inputs.put(io.name(), io.features().toMatrix());
        }
      }
      Matrix output =
          compiler.compile(example.request(nnet, false, false)).run(inputs).get("output");
      for (int k = 0; k < output.data().length; k++) {
        double posterior = Math.exp(output.data()[k]);
        sums[k % sums.length] += posterior;
        all += posterior;
      }
    }
    var priors = new float[sums.length];
    for (int k = 0; k < priors.length; k++) {
      priors[k] = (float) (sums[k] / all);
    }
    return priors;
  }
}
