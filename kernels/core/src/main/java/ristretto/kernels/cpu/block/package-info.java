/** Products with block-quantized matrices on the cpu device. */
package ristretto.kernels.cpu.block;
