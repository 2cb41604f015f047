/**
 * Training of networks: minibatch steps, objectives, natural gradient, constraints on parameters,
 * and their statistics.
 */
package ristretto.nnet3.train;
