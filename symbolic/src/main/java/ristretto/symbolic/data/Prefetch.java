package ristretto.symbolic.data;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import ristretto.kernels.ShapeException;

/** Fills batches on a background thread, a few ahead of the batch in use. */
final class Prefetch implements Iterator<Batch>, AutoCloseable {
  /** Fills a batch, given its number. */
  @FunctionalInterface
  interface Filler {
    void fill(Batch batch, long number);
  }

  /** Message from the background thread: a batch, or the exception that prevented it. */
  private record Filled(Batch batch, RuntimeException failure) {}

  private final BlockingQueue<Filled> ready;
  private final BlockingQueue<Batch> free;
  private final Thread thread;
  private final long count;
  private long taken;

  /** True if another epoch has begun before all batches were taken. */
  private boolean cutShort;

  /** Number of the epoch that cut this one short. */
  private long next;

  private Batch inUse;

  Prefetch(List<Dataset.Field> fields, int size, int ahead, long count, Filler filler) {
    this.count = count;
    int batches = (int) Math.min(count, ahead + 1L);
    this.ready = new ArrayBlockingQueue<>(batches + 1);
    this.free = new ArrayBlockingQueue<>(batches + 1);
    for (int k = 0; k < batches; k++) {
      free.add(new Batch(fields, size));
    }
    this.thread = Thread.ofPlatform().daemon().name("ristretto-batches").start(() -> run(filler));
  }

  private void run(Filler filler) {
    try {
      for (long number = 0; number < count; number++) {
        Batch batch = free.take();
        filler.fill(batch, number);
        ready.put(new Filled(batch, null));
      }
    } catch (InterruptedException _) {
      // Closed: no consumer waits for more batches.
    } catch (RuntimeException e) {
      ready.add(new Filled(null, e));
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
    if (inUse != null) {
      free.add(inUse);
      inUse = null;
    }
    try {
      Filled next = ready.take();
      if (next.failure != null) {
        taken = count;
        throw next.failure;
      }
      taken++;
      inUse = next.batch;
      return inUse;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a batch", e);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    taken = count;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
