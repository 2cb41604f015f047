/** Networks as Kaldi's nnet3 has them, at the rows that an {@link ristretto.nnet3.Index} names. */
package ristretto.nnet3;
