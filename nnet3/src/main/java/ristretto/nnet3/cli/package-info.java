/** Commands named like Kaldi's. */
package ristretto.nnet3.cli;
