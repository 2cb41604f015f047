/** Matrices in host memory: full, compressed and sparse. */
package ristretto.nnet3.matrix;
