/**
 * Training examples as in Kaldi's archives: making them from utterances and merging them into
 * minibatches.
 */
package ristretto.nnet3.egs;
