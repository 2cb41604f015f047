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
  private static final int FIRST_RUNS = 3;

  /** Short runs: past the thresholds of C1, which count calls. */
  private static final int SHORT_RUNS = 225;

  /**
   * Runs that pass the thresholds of C2 where they are a hundredth of the usual ones, as the
   * launcher sets them. More runs would only take a core from C2.
   */
  private static final int EARLY_RUNS = 64;

  /**
   * Watches after the early runs; if the code still allocates then, thresholds are the usual ones.
   */
  private static final int EARLY_WATCHES = 8;

  /** Milliseconds before each of them. */
  private static final int EARLY_PAUSE = 10;

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
  private int earlyWatches = EARLY_WATCHES;
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
    if (runs == 0) {
      first();
    }
    int wanted = earlyWatches > 0 ? EARLY_RUNS : FIRST_RUNS + SHORT_RUNS + LONG_RUNS;
    long end = clock.getAsLong() + MOMENT_NANOS;
    while (runs < wanted && clock.getAsLong() < end) {
      (runs >= FIRST_RUNS && runs < FIRST_RUNS + SHORT_RUNS ? few : run).run();
      runs++;
    }
    if (runs < wanted) {
      return State.GOES_ON;
    }
    watch();
    if (clean == CLEAN) {
      return State.COMPILED;
    }
    if (earlyWatches > 0) {
      earlyWatches--;
      return State.GOES_ON;
    }
    if (watchedSince == 0) {
      watchedSince = clock.getAsLong();
    }
    return clock.getAsLong() - watchedSince > PATIENCE_NANOS ? State.GIVEN_UP : State.GOES_ON;
  }

  /** Code that does not allocate before it is compiled does not show when it is compiled. */
  private void first() {
    long before = allocated.getAsLong();
    run.run();
    runs++;
    if (allocated.getAsLong() - before <= OWN_BYTES) {
      earlyWatches = 0;
    }
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
    if (earlyWatches == 0) {
      pause = Math.min(LONGEST_PAUSE, pause + 1);
    }
  }

  /** Milliseconds for which it is better left to the compiler. */
  int pause() {
    if (earlyWatches > 0) {
      return runs < EARLY_RUNS ? 0 : EARLY_PAUSE;
    }
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
