package ristretto.kernels.cache;

import java.util.concurrent.atomic.AtomicLong;

/** Counters of one user of a {@link KernelCache}, which several users may share. */
public final class CacheCounters {
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong misses = new AtomicLong();
  private final AtomicLong evictions = new AtomicLong();
  private final AtomicLong compileNanos = new AtomicLong();

  /** Number of kernels found compiled, by any user. */
  public long hits() {
    return hits.get();
  }

  /** Number of kernels compiled. */
  public long misses() {
    return misses.get();
  }

  /** Number of kernels evicted because the cache was full. */
  public long evictions() {
    return evictions.get();
  }

  /** Compile time in nanoseconds. */
  public long compileNanos() {
    return compileNanos.get();
  }

  void hit() {
    hits.getAndIncrement();
  }

  void miss(long nanos) {
    misses.getAndIncrement();
    compileNanos.getAndAdd(nanos);
  }

  void eviction() {
    evictions.getAndIncrement();
  }
}
