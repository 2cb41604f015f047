/** Components that draw random numbers in training: dropout and masks. */
package ristretto.nnet3.component.dropout;
