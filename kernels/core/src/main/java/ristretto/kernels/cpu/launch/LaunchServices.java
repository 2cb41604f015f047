package ristretto.kernels.cpu.launch;

import java.util.concurrent.atomic.AtomicLong;
import ristretto.kernels.ClosedException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cpu.codegen.StripCache;
import ristretto.kernels.cpu.memory.Workspaces;
import ristretto.kernels.cpu.runtime.WorkerPool;
import ristretto.kernels.cpu.strip.StripCode;
import ristretto.kernels.cpu.strip.StripKey;

/**
 * Services of a cpu device for its launches: threads, working memory, compiled strips, and the
 * count of running launches, for which {@link #close} waits.
 */
public final class LaunchServices {
  public final WorkerPool workers;
  public final Workspaces workspaces;

  private final StripCache cache = StripCache.SHARED;
  private final CacheCounters counters = new CacheCounters();
  private final AtomicLong entered = new AtomicLong();
  private final AtomicLong left = new AtomicLong();
  private volatile boolean closed;

  public LaunchServices(WorkerPool workers, Workspaces workspaces) {
    this.workers = workers;
    this.workspaces = workspaces;
  }

  /** Returns the strip for {@code key}, compiling it if it is not cached. */
  public StripCode strip(StripKey key, String name) {
    return cache.strip(key, name, counters);
  }

  public boolean cached(StripKey key) {
    return cache.contains(key);
  }

  /** Returns this device's counters of the cache of strips. */
  public CacheCounters counters() {
    return counters;
  }

  /** Begins work on buffers; {@link #close} returns only after the matching {@link #leave}. */
  public void enter() {
    entered.getAndIncrement();
    if (closed) {
      leave();
      checkOpen();
    }
  }

  public void leave() {
    left.getAndIncrement();
  }

  /** Number of calls of {@link #enter}. */
  public long entered() {
    return entered.get();
  }

  public void checkOpen() {
    if (closed) {
      throw new ClosedException(
          "[launch] a device must be open to run kernels; got a closed cpu device; open a new"
              + " context");
    }
  }

  /**
   * Refuses further work and waits for the work that has begun; returns false if the services were
   * closed before.
   */
  public boolean close() {
    synchronized (this) {
      if (closed) {
        return false;
      }
      closed = true;
    }
    while (left.get() < entered.get()) {
      Thread.onSpinWait();
    }
    workers.close();
    return true;
  }
}
