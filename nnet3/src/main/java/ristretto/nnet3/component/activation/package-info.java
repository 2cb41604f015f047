/** Nonlinearities, normalizations and gradient clipping. */
package ristretto.nnet3.component.activation;
