package ristretto.expr;

import ristretto.kernels.device.DeviceCounters;

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
    long peakBytes) {
  static Stats of(DeviceCounters c, long replayedKernels) {
    return new Stats(
        c.launches(),
        c.cacheHits() + replayedKernels,
        c.cacheMisses(),
        c.compileNanos() / 1e6,
        c.bytesAllocated(),
        c.peakBytes());
  }
}
