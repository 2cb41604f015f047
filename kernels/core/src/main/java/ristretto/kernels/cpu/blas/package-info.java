/** Bindings of OpenBLAS and LAPACK. */
package ristretto.kernels.cpu.blas;
