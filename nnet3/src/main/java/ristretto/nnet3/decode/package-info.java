/** Outputs of networks for whole utterances: splitting into chunks, batching and computing. */
package ristretto.nnet3.decode;
