/**
 * Compiler of strips: distribution of a tape over loops, bytecode, and the cache of compiled
 * strips.
 */
package ristretto.kernels.cpu.codegen;
