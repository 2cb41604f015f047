/** Launches of matrix products, cut into blocks or panels. */
package ristretto.kernels.cpu.gemm;
