/** Networks of recipes: compiling and computing them, beside Kaldi's times. */
package ristretto.jmh.nnet3;
