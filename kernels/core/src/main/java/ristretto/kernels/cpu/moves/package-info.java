/** Copies between layouts: packing, transposing, strided and narrow elements. */
package ristretto.kernels.cpu.moves;
