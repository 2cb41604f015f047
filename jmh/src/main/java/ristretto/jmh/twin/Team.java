package ristretto.jmh.twin;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads for the hand-written loops: threads claim chunks from a counter; the caller works too and
 * never waits for a helper that has not started. Helpers spin for some microseconds before they
 * sleep.
 */
final class Team implements AutoCloseable {
  private static final long SPIN_NANOS = 50_000;

  private final Thread[] helpers;
  private volatile Work work;
  private volatile boolean closed;

  /** Loop body over the range {@code [from, to)}. */
  @FunctionalInterface
  interface Body {
    void run(long from, long to);
  }

  private static final class Work {
    final Body body;
    final long length;
    final long grain;
    final AtomicLong next = new AtomicLong();
    final AtomicLong done = new AtomicLong();

    Work(Body body, long length, long grain) {
      this.body = body;
      this.length = length;
      this.grain = grain;
    }

    void help() {
      for (long from = next.getAndAdd(grain); from < length; from = next.getAndAdd(grain)) {
        long to = Math.min(length, from + grain);
        body.run(from, to);
        done.addAndGet(to - from);
      }
    }
  }

  Team(int threads) {
    helpers = new Thread[threads - 1];
    for (int k = 0; k < helpers.length; k++) {
      helpers[k] = Thread.ofPlatform().daemon().name("twin-" + k).start(this::serve);
    }
  }

  int threads() {
    return helpers.length + 1;
  }

  /** Runs {@code body} over {@code [0, length)} in parts that are multiples of {@code unit}. */
  void run(long length, long unit, long least, Body body) {
    if (helpers.length == 0 || length < 2 * least) {
      body.run(0, length);
      return;
    }
    long grain = Math.max(least, length / (8L * threads()));
    var now = new Work(body, length, (grain + unit - 1) / unit * unit);
    work = now;
    for (Thread helper : helpers) {
      LockSupport.unpark(helper);
    }
    now.help();
    while (now.done.get() < length) {
      Thread.onSpinWait();
    }
  }

  private void serve() {
    Work last = null;
    while (!closed) {
      Work now = work;
      if (now != last) {
        now.help();
        last = now;
        continue;
      }
      long start = System.nanoTime();
      while (work == last && System.nanoTime() - start < SPIN_NANOS) {
        Thread.onSpinWait();
      }
      if (work == last && !closed) {
        LockSupport.park(this);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    for (Thread helper : helpers) {
      LockSupport.unpark(helper);
    }
  }
}
