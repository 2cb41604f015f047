/** Updates of networks: natural gradient, constraints, and what a step of training does. */
package ristretto.nnet3.train;
