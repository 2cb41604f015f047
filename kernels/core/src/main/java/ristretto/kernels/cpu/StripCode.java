package ristretto.kernels.cpu;

/**
 * What the cache holds.
 *
 * @param lanes of the accumulators
 */
record StripCode(Strip strip, int lanes) {}
