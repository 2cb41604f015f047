package ristretto.nnet3.component;

/**
 * Settings of a natural gradient, which preconditions rows of derivatives, or of the values that
 * parameters are multiplied with.
 *
 * @param rank of the low-rank approximation of the rows' covariance
 * @param updatePeriod number of minibatches between updates of the approximation
 * @param samplesHistory number of rows after which the weight of a row has decayed to 1/e
 * @param minibatchesHistory number of minibatches, used instead of {@code samplesHistory}; 0 for
 *     none
 * @param alpha smoothing towards the identity matrix
 */
public record NaturalGradientSettings(
    int rank, int updatePeriod, float samplesHistory, float minibatchesHistory, float alpha) {
  public NaturalGradientSettings(int rank, int updatePeriod, float samplesHistory, float alpha) {
    this(rank, updatePeriod, samplesHistory, 0, alpha);
  }
}
