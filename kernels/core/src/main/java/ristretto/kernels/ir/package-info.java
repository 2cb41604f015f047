/**
 * Kernel IR: one fused kernel over an iteration space, common to all devices. Kernels refer to
 * buffers and launch scalars by argument number, so a prepared kernel runs on any buffers.
 */
package ristretto.kernels.ir;
