package ristretto.nnet3.tool;

import ristretto.nnet3.AmNnet;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.SimpleContext;
import ristretto.nnet3.component.Edits;

/**
 * A network in evaluation mode, with components merged where possible.
 *
 * @param nnet the network
 * @param context input context of an output frame
 * @param priors priors of the outputs, or empty for none
 */
record TestModel(Nnet nnet, SimpleContext context, float[] priors) {
  static TestModel load(String rxfilename, boolean withPriors, boolean onlyFinite, Log log) {
    if (!withPriors) {
      return of(Nnet.load(rxfilename, onlyFinite), new float[0], log);
    }
    AmNnet model = AmNnet.load(rxfilename, onlyFinite);
    return of(model.nnet(), model.priors(), log);
  }

  private static TestModel of(Nnet nnet, float[] priors, Log log) {
    Nnet prepared = prepared(nnet, log);
    return new TestModel(prepared, SimpleContext.of(prepared), priors);
  }

  /** Loads a network without determining its context, which need not exist. */
  static Nnet network(String rxfilename, boolean onlyFinite, Log log) {
    return prepared(Nnet.load(rxfilename, onlyFinite), log);
  }

  private static Nnet prepared(Nnet nnet, Log log) {
    return new Edits(nnet, ModelEdits.heard(log)).prepareForTest().nnet();
  }
}
