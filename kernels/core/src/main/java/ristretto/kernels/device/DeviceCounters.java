package ristretto.kernels.device;

/**
 * A snapshot of a device's counters.
 *
 * @param launches kernels run
 * @param cacheHits kernels needed and found compiled, by this device or another one of its kind
 * @param cacheMisses kernels compiled for this device
 * @param evictions kernels dropped from the cache
 * @param compileNanos time spent compiling
 * @param bytesAllocated bytes now held by buffers in use
 * @param peakBytes largest value of bytesAllocated so far
 */
public record DeviceCounters(
    long launches,
    long cacheHits,
    long cacheMisses,
    long evictions,
    long compileNanos,
    long bytesAllocated,
    long peakBytes) {}
