/** Hidden Markov models of phones: what stands before the network in an acoustic model. */
package ristretto.nnet3.hmm;
