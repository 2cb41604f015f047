/**
 * Kernel IR: one fused kernel over an iteration space, the same for every device. Kernels name
 * buffers and launch scalars by argument number, so a kernel prepared once runs on any buffers.
 */
package ristretto.kernels.ir;
