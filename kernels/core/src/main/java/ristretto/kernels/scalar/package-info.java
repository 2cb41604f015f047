/**
 * Scalar IR: the computation of a kernel for one element.
 *
 * <p>A {@link ristretto.kernels.scalar.Tape} is a list of numbered {@link
 * ristretto.kernels.scalar.Node}s, operands before users. {@link
 * ristretto.kernels.scalar.TapeBuilder} interns nodes, folds constants and applies the algebraic
 * rules that preserve IEEE results.
 */
package ristretto.kernels.scalar;
