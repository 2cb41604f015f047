/**
 * Hidden Markov models of phones: the transition model of an acoustic model, which precedes the
 * network in its file.
 */
package ristretto.nnet3.hmm;
