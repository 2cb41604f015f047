/**
 * Strips, the unit of generated code: loops over consecutive elements, their keys, and the fold of
 * accumulators at the end of a row.
 */
package ristretto.kernels.cpu.strip;
