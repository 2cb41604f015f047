/** Layouts of block-quantized matrices, for every device. */
package ristretto.kernels.block;
