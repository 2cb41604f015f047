package ristretto.kernels.cpu.runtime;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import ristretto.kernels.debug.Trace;

/**
 * Fixed worker threads of a device. A caller publishes its {@link Job}, works on the job itself,
 * and waits only for chunks that a worker has begun, so that a worker that is not scheduled costs
 * nothing. Workers start with the first job, spin briefly after each, then yield, then park.
 * Several callers may run jobs concurrently.
 */
public final class WorkerPool implements AutoCloseable {
  /** Most jobs that workers help with concurrently; further callers work alone. */
  private static final int SLOTS = 8;

  private static final long SPIN_NANOS = 20_000;

  /**
   * Time after a job until a worker parks, in which it yields its core to other threads. To wake a
   * parked worker takes a caller about as long as a product of 500 x 500.
   */
  private static final long YIELD_NANOS = 200_000;

  private static final int CORES = Runtime.getRuntime().availableProcessors();

  /** Pools with running workers. */
  private static final Set<WorkerPool> STARTED = ConcurrentHashMap.newKeySet();

  private final int size;
  private final AtomicReferenceArray<Job> slots = new AtomicReferenceArray<>(SLOTS);
  private Worker[] workers;
  private volatile boolean closed;

  /**
   * Creates a pool, without starting its workers.
   *
   * @param size number of threads that work on a job, including its caller
   */
  public WorkerPool(int size) {
    this.size = size;
  }

  public int size() {
    return size;
  }

  /** Returns true if the jobs running now use at least as many threads as the machine has cores. */
  static boolean takeAllCores() {
    int busy = 0;
    for (WorkerPool pool : STARTED) {
      busy += pool.hasJob() ? pool.size : 0;
    }
    return busy >= CORES;
  }

  private boolean hasJob() {
    for (int i = 0; i < SLOTS; i++) {
      if (slots.get(i) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Runs all chunks of {@code job}; throws the exception of a chunk that failed. A single chunk is
   * run by the calling thread alone.
   */
  public void run(Job job, ChunkedTask task, int chunks) {
    ThreadContext context = job.context();
    if (chunks == 1) {
      task.chunk(job, 0, 1, context);
      return;
    }
    if (chunks == 0) {
      return;
    }
    job.begin(task, chunks);
    int slot = size == 1 ? -1 : publish(job);
    if (slot >= 0) {
      wake(chunks - 1);
    }
    try {
      for (int index = job.claim(); index >= 0; index = job.claim()) {
        long start = Trace.ON ? System.nanoTime() : 0;
        try {
          task.chunk(job, index, chunks, context);
        } catch (Throwable e) {
          job.failed(e);
        } finally {
          job.done(index, chunks, start);
        }
      }
    } finally {
      if (slot >= 0) {
        slots.set(slot, null);
      }
      job.await();
    }
    job.rethrow();
  }

  private int publish(Job job) {
    for (int i = 0; i < SLOTS; i++) {
      if (slots.get(i) == null && slots.compareAndSet(i, null, job)) {
        return i;
      }
    }
    return -1;
  }

  private void wake(int wanted) {
    Worker[] all = workers;
    if (all == null) {
      all = start();
    }
    int woken = 0;
    for (Worker worker : all) {
      if (woken == wanted) {
        return;
      }
      if (worker.parked) {
        LockSupport.unpark(worker);
        woken++;
      }
    }
  }

  private synchronized Worker[] start() {
    if (workers == null) {
      if (!closed) {
        STARTED.add(this);
      }
      Worker[] all = new Worker[closed ? 0 : size - 1];
      for (int i = 0; i < all.length; i++) {
        all[i] = new Worker(i + 1);
        all[i].start();
      }
      workers = all;
    }
    return workers;
  }

  @Override
  public synchronized void close() {
    closed = true;
    STARTED.remove(this);
    if (workers != null) {
      for (Worker worker : workers) {
        LockSupport.unpark(worker);
      }
    }
  }

  private final class Worker extends Thread {
    volatile boolean parked;

    Worker(int number) {
      super("ristretto-cpu-" + number);
      setDaemon(true);
    }

    @Override
    public void run() {
      ThreadContext context = ThreadContext.current();
      long idleSince = System.nanoTime();
      while (!closed) {
        if (help(context)) {
          idleSince = System.nanoTime();
          continue;
        }
        long idle = System.nanoTime() - idleSince;
        if (idle < SPIN_NANOS) {
          Thread.onSpinWait();
        } else if (idle < YIELD_NANOS) {
          Thread.yield();
        } else {
          parked = true;
          if (!closed && !help(context)) {
            LockSupport.park(this);
          }
          parked = false;
          idleSince = System.nanoTime();
        }
      }
    }

    private boolean help(ThreadContext context) {
      boolean helped = false;
      for (int i = 0; i < SLOTS; i++) {
        Job job = slots.get(i);
        while (job != null && job.workOnce(context)) {
          helped = true;
        }
      }
      return helped;
    }
  }
}
