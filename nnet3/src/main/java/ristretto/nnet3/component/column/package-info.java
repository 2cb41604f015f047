/** Permutations, sums and products of blocks of columns. */
package ristretto.nnet3.component.column;
