/**
 * Kernels as C-family source text, for devices that compile C. {@link
 * ristretto.kernels.source.KernelSource} turns a kernel into a {@link
 * ristretto.kernels.source.Routine}: the text, which holds no sizes, and the launches with their
 * sizes. A {@link ristretto.kernels.source.Dialect} names what differs between the languages.
 */
package ristretto.kernels.source;
