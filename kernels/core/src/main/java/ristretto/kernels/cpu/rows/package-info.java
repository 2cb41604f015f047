/** Launches of row kernels: stages, loop structure, accumulators and results. */
package ristretto.kernels.cpu.rows;
