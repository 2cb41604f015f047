/** The embedded device: Vector API code generated at run time. */
package ristretto.kernels.cpu;
