/**
 * Networks of Kaldi's nnet3: configs, models, nodes and descriptors, evaluated at rows named by
 * {@link ristretto.nnet3.Index}.
 */
package ristretto.nnet3;
