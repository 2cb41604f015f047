package ristretto.kernels.cache;

import java.util.concurrent.atomic.AtomicLong;

/** What one user of a {@link KernelCache}, which several may share, has asked of it. */
public final class CacheCounters {
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong misses = new AtomicLong();
  private final AtomicLong evictions = new AtomicLong();
  private final AtomicLong compileNanos = new AtomicLong();

  /** Kernels found compiled, by whomever. */
  public long hits() {
    return hits.get();
  }

  /** Kernels compiled. */
  public long misses() {
    return misses.get();
  }

  /** Kernels dropped because the cache was full. */
  public long evictions() {
    return evictions.get();
  }

  /** Time spent compiling. */
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
