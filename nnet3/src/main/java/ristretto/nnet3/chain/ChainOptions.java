package ristretto.nnet3.chain;

/**
 * Options of the chain objective, named as in Kaldi.
 *
 * @param leakyHmmCoefficient probability of jumps between any states of the denominator, above 0
 *     and below 1
 * @param l2Regularize factor of the penalty on the squares of the outputs
 * @param outOfRangeRegularize factor of the penalty on outputs beyond 30
 * @param xentRegularize factor of the cross-entropy output; 0 without it
 */
public record ChainOptions(
    float leakyHmmCoefficient,
    float l2Regularize,
    float outOfRangeRegularize,
    float xentRegularize) {
  /** Kaldi's defaults. */
  public static final ChainOptions DEFAULT = new ChainOptions(1e-5f, 0, 0.01f, 0);
}
