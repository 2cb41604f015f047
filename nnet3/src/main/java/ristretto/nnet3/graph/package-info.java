/**
 * Dependency graph of a computation request: rows that the outputs need, and the rows that each of
 * them reads.
 */
package ristretto.nnet3.graph;
