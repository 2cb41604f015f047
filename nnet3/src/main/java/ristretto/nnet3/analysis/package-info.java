/** Analysis of the memory accesses of computations: printing, checking, drawing. */
package ristretto.nnet3.analysis;
