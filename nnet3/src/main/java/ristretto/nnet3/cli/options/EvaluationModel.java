package ristretto.nnet3.cli.options;

import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.AmNnet;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;

/**
 * A network in evaluation mode, with components merged where possible.
 *
 * @param nnet the network
 * @param context input context of an output frame
 * @param priors priors of the outputs, or empty for none
 */
public record EvaluationModel(Nnet nnet, SimpleContext context, float[] priors) {
  static EvaluationModel load(
      String rxfilename, boolean withPriors, boolean onlyFinite, CommandLog log) {
    if (!withPriors) {
      return of(Nnet.load(rxfilename, onlyFinite), new float[0], log);
    }
    AmNnet model = AmNnet.load(rxfilename, onlyFinite);
    return of(model.nnet(), model.priors(), log);
  }

  /** Loads an acoustic model with its priors, of which there may be none. */
  public static EvaluationModel withPriors(String rxfilename, boolean onlyFinite, CommandLog log) {
    return load(rxfilename, true, onlyFinite, log);
  }

  private static EvaluationModel of(Nnet nnet, float[] priors, CommandLog log) {
    Nnet prepared = prepared(nnet, log);
    return new EvaluationModel(prepared, SimpleContext.of(prepared), priors);
  }

  /** Loads a network without determining its context, which need not exist. */
  public static Nnet network(String rxfilename, boolean onlyFinite, CommandLog log) {
    return prepared(Nnet.load(rxfilename, onlyFinite), log);
  }

  private static Nnet prepared(Nnet nnet, CommandLog log) {
    return new NetworkEdits(nnet, EditOptions.heard(log)).prepareForTest().nnet();
  }

  /** Subtracts the logarithms of the priors from outputs, and scales the rest, in place. */
  public void score(Matrix output, float scale) {
    var logs = new float[priors.length];
    for (int k = 0; k < logs.length; k++) {
      logs[k] = (float) Math.log(priors[k]);
    }
    float[] data = output.data();
    for (int k = 0; k < data.length; k++) {
      float value = logs.length == 0 ? data[k] : data[k] - logs[k % logs.length];
      data[k] = value * scale;
    }
  }
}
