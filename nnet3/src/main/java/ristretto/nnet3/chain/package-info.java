/** The chain objective (lattice-free MMI): supervision, denominator graph, objective. */
package ristretto.nnet3.chain;
