/** Discrete Fourier transforms of the cpu device. */
package ristretto.kernels.cpu.fourier;
