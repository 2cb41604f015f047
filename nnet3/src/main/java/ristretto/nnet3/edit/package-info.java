/** Edits of networks: edits configs, low-rank factorization, merging of components. */
package ristretto.nnet3.edit;
