package ristretto.kernels.cpu.strip;

/**
 * Cached compiled strip.
 *
 * @param lanes logical lanes of the accumulators
 */
public record StripCode(Strip strip, int lanes) {}
