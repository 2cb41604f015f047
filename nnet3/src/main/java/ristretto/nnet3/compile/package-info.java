/** Compiler from a network and a computation request to a program that computes the outputs. */
package ristretto.nnet3.compile;
