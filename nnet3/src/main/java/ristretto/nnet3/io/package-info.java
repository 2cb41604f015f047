/**
 * Files as Kaldi reads and writes them, in its text and its binary mode: numbers, tokens, vectors
 * and full, compressed and sparse matrices, and tables of such values in archives and scripts.
 * Vectors are plain arrays.
 */
package ristretto.nnet3.io;
