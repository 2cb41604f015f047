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
   * Short runs at first. Interpreted, an operation of vectors takes microseconds; these make C1
   * compile the code where thresholds are a hundredth of the usual ones, as the launcher sets them.
   */
  private static final int FIRST_RUNS = 4;

  /**
   * Long runs after those, one at a time. With the launcher's thresholds C2 then compiles, and sees
   * a profile whose loops go on for a while; otherwise it places spills in them. More runs would
   * make C2 compile the slow methods of the Vector API first, which its code does not need.
   */
  private static final int EARLY_LONG_RUNS = 6;

  /** Tries after which thresholds are taken to be the usual ones. */
  private static final int EARLY_TRIES = 40;

  /** Milliseconds before each try. */
  private static final int EARLY_PAUSE = 10;

  /** Short runs: past the usual thresholds of C1, which count calls. */
  private static final int SHORT_RUNS = 220;

  /**
   * Longer runs: past the usual thresholds of C2, which are 600 calls with 15,000 loop iterations.
   */
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

  /** Tries so far, {@link #EARLY_TRIES} if there are no more. */
  private int tries;

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
    if (tries < EARLY_TRIES) {
      return tryEarly() ? State.COMPILED : State.GOES_ON;
    }
    long end = clock.getAsLong() + MOMENT_NANOS;
    while (runs < SHORT_RUNS + LONG_RUNS && clock.getAsLong() < end) {
      (runs < SHORT_RUNS ? few : run).run();
      runs++;
    }
    if (runs < SHORT_RUNS + LONG_RUNS) {
      return State.GOES_ON;
    }
    if (watchedSince == 0) {
      watchedSince = clock.getAsLong();
    }
    watch();
    pause = Math.min(LONGEST_PAUSE, pause + 1);
    if (clean == CLEAN) {
      return State.COMPILED;
    }
    return clock.getAsLong() - watchedSince > PATIENCE_NANOS ? State.GIVEN_UP : State.GOES_ON;
  }

  /** Runs as little as the launcher's thresholds need; true if the code is compiled. */
  private boolean tryEarly() {
    if (tries++ == 0) {
      for (int k = 0; k < FIRST_RUNS; k++) {
        if (isClean(few)) {
          // It does not allocate uncompiled, so that it would not show when it is compiled.
          tries = EARLY_TRIES;
        }
      }
      return false;
    }
    if (tries <= 1 + EARLY_LONG_RUNS) {
      run.run();
    }
    if (isClean(few)) {
      watch();
    }
    return clean == CLEAN;
  }

  private boolean isClean(Runnable code) {
    long before = allocated.getAsLong();
    code.run();
    return allocated.getAsLong() - before <= OWN_BYTES;
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
  }

  /** Milliseconds for which it is better left to the compiler. */
  int pause() {
    if (tries < EARLY_TRIES) {
      return EARLY_PAUSE;
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
