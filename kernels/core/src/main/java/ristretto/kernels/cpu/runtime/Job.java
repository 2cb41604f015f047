package ristretto.kernels.cpu.runtime;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import ristretto.kernels.debug.Trace;
import ristretto.kernels.device.Launch;

/**
 * State of one launch that its threads share. Each application thread reuses a single job for all
 * its launches, so that a launch allocates nothing. A worker may still hold a finished job: claims
 * carry the job's generation, and after a successful claim the job cannot end before the chunk is
 * done.
 */
public final class Job {
  public static final int MOST_CHUNKS = (1 << 20) - 1;

  /** Memory of the thread that makes the launches. */
  private final ThreadContext context;

  /** Addresses by buffer argument. */
  public long[] buffers = new long[8];

  /** Address of the launch scalars, 8 bytes each. */
  public long scalars;

  /** Address of the memory that all chunks share, if the launch needs some. */
  public long shared;

  /** Value for the launch's own use, such as the number of its phase. */
  public long phase;

  /**
   * Generation (24 bits), number of chunks (20) and next chunk (20) in one word, so that a claim
   * reads all three atomically.
   */
  private final AtomicLong claims = new AtomicLong();

  private final AtomicInteger unfinished = new AtomicInteger();
  private ChunkedTask task;
  private volatile Throwable failure;

  /** Creates a job of a thread that makes launches. */
  public Job(ThreadContext context) {
    this.context = context;
  }

  public ThreadContext context() {
    return context;
  }

  public void reserve(int bufferCount) {
    if (buffers.length < bufferCount) {
      buffers = Arrays.copyOf(buffers, Math.max(bufferCount, 2 * buffers.length));
    }
  }

  /**
   * Publishes the chunks of {@code work}.
   *
   * @param chunks at most {@link #MOST_CHUNKS}
   */
  void begin(ChunkedTask work, int chunks) {
    // All chunks of the last generation are claimed, so that no thread can claim one before the new
    // generation is published.
    task = work;
    failure = null;
    unfinished.set(chunks);
    long generation = (claims.get() >>> 40) + 1;
    claims.set(generation << 40 | (long) chunks << 20);
  }

  /**
   * Claims a chunk for the thread that began the job; returns its number, or -1 if none is left.
   */
  int claim() {
    while (true) {
      long claim = claims.get();
      int index = (int) claim & MOST_CHUNKS;
      if (index >= chunks(claim)) {
        return -1;
      }
      if (claims.compareAndSet(claim, claim + 1)) {
        return index;
      }
    }
  }

  private static int chunks(long claim) {
    return (int) (claim >>> 20) & MOST_CHUNKS;
  }

  /** Claims a chunk for a worker and runs it; returns false if none is left. */
  boolean workOnce(ThreadContext worker) {
    long claim = claims.get();
    int index = (int) claim & MOST_CHUNKS;
    int chunks = chunks(claim);
    if (index >= chunks) {
      return false;
    }
    if (claims.compareAndSet(claim, claim + 1)) {
      long start = Trace.ON ? System.nanoTime() : 0;
      try {
        task.chunk(this, index, chunks, worker);
      } catch (Throwable e) {
        failure = e;
      } finally {
        done(index, chunks, start);
      }
    }
    return true;
  }

  void failed(Throwable e) {
    failure = e;
  }

  /**
   * Ends a chunk.
   *
   * @param start time at which it began, if chunks are traced
   */
  void done(int index, int chunks, long start) {
    if (Trace.ON) {
      String name = task instanceof Launch launch ? launch.name() : "chunk";
      long nanos = System.nanoTime() - start;
      Trace.event(name, "chunk", start, nanos, "chunk", index, "chunks", chunks);
    }
    unfinished.decrementAndGet();
  }

  void await() {
    int spins = 0;
    while (unfinished.get() > 0) {
      if (++spins < 10_000) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  void rethrow() {
    Throwable e = failure;
    if (e != null) {
      failure = null;
      task = null;
      if (e instanceof RuntimeException r) {
        throw r;
      }
      if (e instanceof Error r) {
        throw r;
      }
      throw new IllegalStateException(e);
    }
  }
}
