package ristretto.kernels.cpu;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Runs code until C2 has compiled it, which shows in that it no longer allocates: interpreted and
 * by C1, every vector is an object, and code is up to 600 times slower. It goes on a moment at a
 * time.
 */
final class Warming {
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

  /** After which it is given up, from the first watch on. */
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /** What asking for it allocates itself. */
  private static final long OWN_BYTES = 256;

  /** How long one goes on at a time. */
  private static final long MOMENT_NANOS = 4_000_000;

  /** The longest wait for the compiler. */
  private static final int LONGEST_PAUSE = 50;

  enum State {
    GOES_ON,
    COMPILED,

    /** It still allocates after a minute. */
    GIVEN_UP
  }

  private final Runnable run;
  private final Runnable few;
  private final LongSupplier clock;
  private final LongSupplier allocated;
  private int runs;
  private int clean;
  private int pause = 1;
  private long watchedSince;

  /**
   * @param few as {@code run}, but more calls than loops
   */
  Warming(Runnable run, Runnable few) {
    this(run, few, System::nanoTime, () -> Allocated.bytes());
  }

  /**
   * @param clock nanoseconds
   * @param allocated bytes, by this thread
   */
  Warming(Runnable run, Runnable few, LongSupplier clock, LongSupplier allocated) {
    this.run = run;
    this.few = few;
    this.clock = clock;
    this.allocated = allocated;
  }

  State advance() {
    long end = clock.getAsLong() + MOMENT_NANOS;
    while (runs < FIRST_RUNS + SHORT_RUNS + LONG_RUNS && clock.getAsLong() < end) {
      (runs >= FIRST_RUNS && runs < FIRST_RUNS + SHORT_RUNS ? few : run).run();
      runs++;
    }
    if (runs < FIRST_RUNS + SHORT_RUNS + LONG_RUNS) {
      return State.GOES_ON;
    }
    if (watchedSince == 0) {
      watchedSince = clock.getAsLong();
    }
    watch();
    if (clean == CLEAN) {
      return State.COMPILED;
    }
    return clock.getAsLong() - watchedSince > PATIENCE_NANOS ? State.GIVEN_UP : State.GOES_ON;
  }

  private void watch() {
    do {
      long before = allocated.getAsLong();
      for (int k = 0; k < WATCHED; k++) {
        run.run();
        few.run();
      }
      clean = allocated.getAsLong() - before > OWN_BYTES ? 0 : clean + 1;
    } while (clean > 0 && clean < CLEAN);
    pause = Math.min(LONGEST_PAUSE, pause + 1);
  }

  /** Milliseconds for which it is better left to the compiler. */
  int pause() {
    return watchedSince == 0 ? 0 : pause;
  }

  /** In a class of its own: loading the management classes takes tens of milliseconds. */
  private static final class Allocated {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static long bytes() {
      return THREADS.getCurrentThreadAllocatedBytes();
    }
  }
}
