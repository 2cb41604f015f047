package ristretto.nnet3.train;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Class priors of a network: its average posteriors, by which decoding divides the posteriors. */
public final class ClassPriors {
  private static final int CACHE = 64;

  private ClassPriors() {}

  /** Returns the average posteriors of a network that outputs log-probabilities. */
  public static float[] of(
      Context context, Nnet nnet, List<NnetExample> examples, LoweringOptions lowering) {
    Nnet test =
        new NetworkEdits(nnet, EditLog.NONE)
            .setBatchNormTestMode(true)
            .setDropoutTestMode(true)
            .nnet();
    var deviceParameters = new DeviceParameters(context);
    deviceParameters.lowering(lowering);
    var compiler = new Compiler(test, deviceParameters, CACHE);
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
