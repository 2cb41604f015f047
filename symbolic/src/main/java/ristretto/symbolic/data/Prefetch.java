package ristretto.symbolic.data;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import ristretto.kernels.ShapeException;

/**
 * Fills batches on background threads, a few ahead of the batch in use, and hands them out in
 * order. Each batch is filled by one thread.
 */
final class Prefetch implements Iterator<Batch>, AutoCloseable {
  /** Fills a batch, given its number. */
  @FunctionalInterface
  interface Filler {
    void fill(Batch batch, long number);
  }

  /** Message from a background thread: a batch, or the exception that prevented it. */
  private record Filled(Batch batch, Throwable failure) {}

  private final Object lock = new Object();
  private final Deque<Batch> free = new ArrayDeque<>();
  private final Map<Long, Filled> ready = new HashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final long count;

  /** Number of the next batch to fill. */
  private long begun;

  private long taken;

  /** True if another epoch has begun before all batches were taken. */
  private boolean cutShort;

  /** Number of the epoch that cut this one short. */
  private long next;

  private Batch inUse;

  /** Time of the first request, and time spent in requests, in nanoseconds. */
  private long firstRequest;

  private long waited;

  /**
   * Starts the threads.
   *
   * @param memory creates a batch
   * @param loaders number of threads
   * @param count number of batches
   */
  Prefetch(Supplier<Batch> memory, int loaders, long count, Filler filler) {
    this.count = count;
    // One batch is in use, one is ready, and each thread fills one.
    long batches = Math.min(count, loaders + 2L);
    for (long k = 0; k < batches; k++) {
      free.add(memory.get());
    }
    for (long k = 0; k < Math.min(count, loaders); k++) {
      threads.add(
          Thread.ofPlatform().daemon().name("ristretto-batches-" + k).unstarted(() -> run(filler)));
    }
    threads.forEach(Thread::start);
  }

  private void run(Filler filler) {
    while (true) {
      Batch batch;
      long number;
      synchronized (lock) {
        // The buffer comes first: so the batch that is wanted next always has one.
        while (free.isEmpty() && begun < count) {
          try {
            lock.wait();
          } catch (InterruptedException _) {
            return;
          }
        }
        if (begun >= count || Thread.currentThread().isInterrupted()) {
          return;
        }
        batch = free.remove();
        number = begun++;
      }
      Filled filled;
      try {
        filler.fill(batch, number);
        filled = new Filled(batch, null);
      } catch (RuntimeException | Error e) {
        filled = new Filled(null, e);
      }
      synchronized (lock) {
        ready.put(number, filled);
        lock.notifyAll();
      }
    }
  }

  @Override
  public boolean hasNext() {
    if (cutShort) {
      throw new ShapeException(
          "[batcher] an epoch must end before the next one of the same batcher begins; got epoch "
              + next
              + " amid another one; make a batcher for each of two nested loops.");
    }
    return taken < count;
  }

  /**
   * Ends this epoch because another one begins.
   *
   * @param number number of the other epoch
   */
  void endFor(long number) {
    cutShort = taken < count;
    next = number;
    close();
  }

  @Override
  public Batch next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the epoch has ended");
    }
    long start = System.nanoTime();
    firstRequest = taken == 0 ? start : firstRequest;
    Filled filled;
    synchronized (lock) {
      if (inUse != null) {
        free.add(inUse);
        inUse = null;
        lock.notifyAll();
      }
      filled = ready.remove(taken);
      while (filled == null) {
        try {
          lock.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted while waiting for a batch", e);
        }
        filled = ready.remove(taken);
      }
    }
    waited += System.nanoTime() - start;
    if (filled.failure != null) {
      close();
      throw rethrown(filled.failure);
    }
    taken++;
    inUse = filled.batch;
    return inUse;
  }

  private static RuntimeException rethrown(Throwable failure) {
    if (failure instanceof Error e) {
      throw e;
    }
    return (RuntimeException) failure;
  }

  /** Returns the share of the time since the first request that requests took, from 0 to 1. */
  double waiting() {
    long all = System.nanoTime() - firstRequest;
    return taken == 0 || all <= 0 ? 0 : Math.min(1, (double) waited / all);
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    taken = count;
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
