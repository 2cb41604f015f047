/** Lattices of words or phones, as Kaldi's decoders write them. */
package ristretto.nnet3.lattice;
