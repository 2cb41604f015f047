/**
 * Rendering of kernels as C-family source text, for devices that compile C. {@link
 * ristretto.kernels.source.KernelSource} renders a kernel as a {@link
 * ristretto.kernels.source.Routine}: the text, which is independent of sizes, and the launches with
 * their sizes. A {@link ristretto.kernels.source.Dialect} holds the differences between the
 * languages.
 */
package ristretto.kernels.source;
