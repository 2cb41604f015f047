package ristretto.kernels.ir;

/**
 * {@code offset + sum of strides[d] * i[d]} over the iteration indices i.
 *
 * @param offset in elements
 * @param strides in elements, one a dimension of the iteration space; zero repeats, negative runs
 *     backwards
 */
public record Affine(long offset, Longs strides) {}
