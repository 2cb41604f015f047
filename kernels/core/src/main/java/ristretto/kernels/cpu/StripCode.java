package ristretto.kernels.cpu;

/**
 * Cached compiled strip.
 *
 * @param lanes logical lanes of the accumulators
 */
record StripCode(Strip strip, int lanes) {}
