/** What computations do with memory: printed, checked, drawn. */
package ristretto.nnet3.analysis;
