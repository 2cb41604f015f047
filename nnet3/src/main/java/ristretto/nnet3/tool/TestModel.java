package ristretto.nnet3.tool;

import ristretto.nnet3.AmNnet;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.SimpleContext;
import ristretto.nnet3.component.Edits;

/**
 * A network as outputs are computed with it: in test mode, with fewer components where possible.
 *
 * @param nnet the network
 * @param context how much input an output needs
 * @param priors of the outputs; none if empty
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

  /** Only the network, which may have no context that can be told. */
  static Nnet network(String rxfilename, boolean onlyFinite, Log log) {
    return prepared(Nnet.load(rxfilename, onlyFinite), log);
  }

  private static Nnet prepared(Nnet nnet, Log log) {
    return new Edits(nnet, ModelEdits.heard(log)).prepareForTest().nnet();
  }
}
