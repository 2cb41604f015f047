/** Convolutions by an installed library. */
package ristretto.kernels.cpu.convolution;
