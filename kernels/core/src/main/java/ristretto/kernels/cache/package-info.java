/** Compiled kernels, kept. */
package ristretto.kernels.cache;
