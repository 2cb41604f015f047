package ristretto.symbolic.train;

/**
 * One step of training; see {@link Trainer#afterStep}.
 *
 * @param epoch number of the epoch, from 0
 * @param batch number of the batch in the epoch, from 0
 * @param loss loss of the batch
 */
public record TrainingStep(int epoch, long batch, double loss) {}
