package ristretto.kernels.ir;

/**
 * Affine index map {@code offset + sum of strides[d] * i[d]} over the iteration indices i.
 *
 * @param offset in elements
 * @param strides in elements, one per dimension of the iteration space; zero broadcasts, a negative
 *     stride runs backwards
 */
public record Affine(long offset, Longs strides) {}
