/** From a network and a request to a program that computes the outputs. */
package ristretto.nnet3.compile;
