/** Launches of kernels without reductions, and the base class of all launches of the cpu device. */
package ristretto.kernels.cpu.launch;
