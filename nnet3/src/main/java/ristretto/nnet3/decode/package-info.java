/** Outputs of networks for whole utterances: chunks, and what they are computed with. */
package ristretto.nnet3.decode;
