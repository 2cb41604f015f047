/** Weighted finite-state transducers in OpenFst's files. */
package ristretto.nnet3.fst;
