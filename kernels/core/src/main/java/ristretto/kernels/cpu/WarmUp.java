package ristretto.kernels.cpu;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One thread that runs new vector code on samples until C2 has compiled it, which shows in that it
 * no longer allocates: interpreted and by C1, every vector is an object, and code is up to 600
 * times slower.
 */
final class WarmUp {
  /**
   * Long runs at first. Where C2 is told to compile early, the profile it sees must have loops that
   * go on for a while, or it places spills in them.
   */
  private static final int FIRST_RUNS = 8;

  /** Short runs: past the thresholds of C1, which count calls. */
  private static final int SHORT_RUNS = 220;

  /** Longer runs: past the thresholds of C2, which are 600 calls with 15,000 loop iterations. */
  private static final int LONG_RUNS = 260;

  /** Runs that are watched at a time. */
  private static final int WATCHED = 4;

  /** Watches without allocation after which all of the code is taken to be compiled. */
  private static final int CLEAN = 3;

  /** Code that still allocates then, after seconds, is used all the same. */
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private static final LinkedBlockingQueue<Runnable> QUEUE = new LinkedBlockingQueue<>();

  static {
    Thread.ofPlatform()
        .daemon()
        .name("ristretto-warm-up")
        .priority(Thread.MIN_PRIORITY)
        .start(WarmUp::work);
  }

  private WarmUp() {}

  /** Runs {@code task} after those before it. */
  static void later(Runnable task) {
    QUEUE.add(task);
  }

  private static void work() {
    while (true) {
      try {
        QUEUE.take().run();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Runs {@code strip} on {@code sample} until it allocates nothing. */
  static void until(Strip strip, Sample sample) {
    until(() -> sample.run(strip), () -> sample.runFew(strip));
  }

  /**
   * Runs code until it allocates nothing.
   *
   * @param few as {@code run}, but more calls than loops
   * @return false if it still does after {@link #PATIENCE_NANOS}
   */
  static boolean until(Runnable run, Runnable few) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    for (int k = 0; k < FIRST_RUNS; k++) {
      run.run();
    }
    for (int k = 0; k < SHORT_RUNS; k++) {
      few.run();
    }
    for (int k = 0; k < LONG_RUNS && System.nanoTime() < end; k++) {
      run.run();
    }
    int clean = 0;
    for (int pause = 1; clean < CLEAN && System.nanoTime() < end; pause = Math.min(8, pause + 1)) {
      long before = Allocated.bytes();
      for (int k = 0; k < WATCHED; k++) {
        run.run();
        few.run();
      }
      clean = Allocated.bytes() - before > Allocated.OWN_BYTES ? 0 : clean + 1;
      if (clean == 0) {
        rest(pause);
      }
    }
    return clean == CLEAN;
  }

  /** Leaves the processor to the compiler. */
  private static void rest(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** In a class of its own: loading the management classes takes tens of milliseconds. */
  private static final class Allocated {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** What asking allocates itself. */
    static final long OWN_BYTES = 256;

    static long bytes() {
      return THREADS.getCurrentThreadAllocatedBytes();
    }
  }
}
