package ristretto.kernels.device;

/**
 * Snapshot of a device's counters.
 *
 * @param launches kernels run
 * @param cacheHits requested kernels that were already compiled, by this device or another one of
 *     its kind
 * @param cacheMisses kernels compiled for this device
 * @param evictions kernels evicted from the cache
 * @param compileNanos compile time in nanoseconds
 * @param bytesAllocated current size in bytes of all open buffers
 * @param peakBytes largest value of {@code bytesAllocated} so far
 */
public record DeviceCounters(
    long launches,
    long cacheHits,
    long cacheMisses,
    long evictions,
    long compileNanos,
    long bytesAllocated,
    long peakBytes) {}
