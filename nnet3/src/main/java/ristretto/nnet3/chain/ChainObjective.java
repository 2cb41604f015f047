package ristretto.nnet3.chain;

import ristretto.nnet3.matrix.Matrix;

/**
 * Chain objective of network outputs, and its derivatives by the outputs.
 *
 * @param objective objective, not divided by the weight
 * @param l2Term penalty on the squares of the outputs, which is not part of the objective
 * @param weight weight of the supervision times its frames
 * @param denominatorLogProb log-probability of all phone strings
 * @param numeratorLogProb log-probability of the supervision
 * @param denominatorOk false if the denominator's forward and backward passes contradict each other
 * @param numeratorOk false if the numerator is not finite
 * @param derivative derivative by the outputs, without the penalty on outputs out of range
 * @param penalizedDerivative derivative with that penalty
 * @param xentDerivative derivative of the cross-entropy by the log-probabilities of its output
 * @param denominatorPosteriors posteriors of pdfs over all phone strings
 * @param numeratorPosteriors posteriors of pdfs over the supervision
 */
public record ChainObjective(
    double objective,
    double l2Term,
    double weight,
    double denominatorLogProb,
    double numeratorLogProb,
    boolean denominatorOk,
    boolean numeratorOk,
    Matrix derivative,
    Matrix penalizedDerivative,
    Matrix xentDerivative,
    Matrix denominatorPosteriors,
    Matrix numeratorPosteriors) {}
