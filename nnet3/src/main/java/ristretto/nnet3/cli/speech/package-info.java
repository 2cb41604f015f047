/** Commands that recognize speech: features, decoding graphs, lattices and error rates. */
package ristretto.nnet3.cli.speech;
