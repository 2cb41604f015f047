/** Examples that networks are trained with, as Kaldi's archives have them, and their merging. */
package ristretto.nnet3.egs;
