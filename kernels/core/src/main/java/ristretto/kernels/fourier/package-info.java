/** Parts of discrete Fourier transforms that all devices share. */
package ristretto.kernels.fourier;
