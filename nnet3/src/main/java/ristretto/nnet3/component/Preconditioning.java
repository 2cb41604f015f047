package ristretto.nnet3.component;

/**
 * How rows of derivatives, or of what parameters are multiplied with, are made those of a natural
 * gradient.
 *
 * @param rank of the matrix that stands for their distribution
 * @param updatePeriod each so-manieth minibatch changes it
 * @param samplesHistory rows after which a row's influence has gone down to 1/e
 * @param minibatchesHistory minibatches, in place of rows; 0 for none
 * @param alpha how much the unit matrix is mixed in
 */
public record Preconditioning(
    int rank, int updatePeriod, float samplesHistory, float minibatchesHistory, float alpha) {
  Preconditioning(int rank, int updatePeriod, float samplesHistory, float alpha) {
    this(rank, updatePeriod, samplesHistory, 0, alpha);
  }
}
