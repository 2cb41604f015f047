package ristretto.kernels;

/**
 * Counters of a context since it was opened.
 *
 * @param launches number of kernels launched
 * @param cacheHits number of kernels found in the cache, compiled for this context or an earlier
 *     one
 * @param cacheMisses number of kernels compiled for this context
 * @param compileMillis time spent compiling kernels
 * @param bytesAllocated bytes of device memory in use
 * @param peakBytes maximal device memory in use
 */
public record Stats(
    long launches,
    long cacheHits,
    long cacheMisses,
    double compileMillis,
    long bytesAllocated,
    long peakBytes) {}
