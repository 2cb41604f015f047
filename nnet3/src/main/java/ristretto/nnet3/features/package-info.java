/** Features of speech: waves, and mel-frequency cepstral coefficients as Kaldi computes them. */
package ristretto.nnet3.features;
