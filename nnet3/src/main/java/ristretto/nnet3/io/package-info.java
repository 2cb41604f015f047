/**
 * Kaldi files in text and binary mode: numbers, tokens, vectors and matrices, and tables of values
 * in archives and scripts. Vectors are plain arrays.
 */
package ristretto.nnet3.io;
