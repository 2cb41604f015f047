/** Debug output, controlled by {@code RISTRETTO_DEBUG} and related variables. */
package ristretto.kernels.debug;
