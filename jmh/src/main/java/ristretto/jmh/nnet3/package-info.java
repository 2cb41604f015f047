/** Compilation and computation of recipes' networks, compared with Kaldi. */
package ristretto.jmh.nnet3;
