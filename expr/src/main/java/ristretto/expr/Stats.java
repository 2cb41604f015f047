package ristretto.expr;

/**
 * Counters of a {@link Context} since it was opened.
 *
 * @param launches kernels run
 * @param cacheHits kernels needed that were compiled already, for this context or an earlier one
 * @param cacheMisses kernels compiled for this context
 * @param compileMillis time spent compiling kernels
 * @param bytesAllocated device memory in use now
 * @param peakBytes most device memory ever in use
 */
public record Stats(
    long launches,
    long cacheHits,
    long cacheMisses,
    double compileMillis,
    long bytesAllocated,
    long peakBytes) {}
