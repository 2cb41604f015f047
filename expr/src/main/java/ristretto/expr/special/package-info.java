/** Special functions of numbers, lifted into kernels by their bytecode. */
package ristretto.expr.special;
