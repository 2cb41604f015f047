/** The debug ladder: what {@code RISTRETTO_DEBUG} and its companions switch on. */
package ristretto.kernels.debug;
