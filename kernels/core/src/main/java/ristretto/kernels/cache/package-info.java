/** Caches of compiled kernels. */
package ristretto.kernels.cache;
