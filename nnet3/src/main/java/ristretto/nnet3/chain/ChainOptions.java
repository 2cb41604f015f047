package ristretto.nnet3.chain;

import java.io.Serializable;

/**
 * Options of the chain objective, named as in Kaldi.
 *
 * @param leakyHmmCoefficient probability of jumps between any states of the denominator, above 0
 *     and below 1
 * @param l2Regularize factor of the penalty on the squares of the outputs
 * @param outOfRangeRegularize factor of the penalty on outputs beyond 30
 * @param xentRegularize factor of the cross-entropy output; 0 without it
 * @param saveMemory true to keep the forward probabilities of some frames only, whose number grows
 *     with the square root of all, and to compute the others twice
 */
public record ChainOptions(
    float leakyHmmCoefficient,
    float l2Regularize,
    float outOfRangeRegularize,
    float xentRegularize,
    boolean saveMemory)
    implements Serializable {
  /** Kaldi's defaults. */
  public static final ChainOptions DEFAULT = new ChainOptions(1e-5f, 0, 0.01f, 0);

  /** Creates options that keep all forward probabilities. */
  public ChainOptions(
      float leakyHmmCoefficient,
      float l2Regularize,
      float outOfRangeRegularize,
      float xentRegularize) {
    this(leakyHmmCoefficient, l2Regularize, outOfRangeRegularize, xentRegularize, false);
  }
}
