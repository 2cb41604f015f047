/** Convolutions over time and height, and pooling. */
package ristretto.nnet3.component.convolution;
