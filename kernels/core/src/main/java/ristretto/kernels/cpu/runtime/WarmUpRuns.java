package ristretto.kernels.cpu.runtime;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Runs vector code until C2 has compiled it, which is detected by the end of allocation: in the
 * interpreter and in code by C1, every vector is an object, and execution is up to 600 times
 * slower. Runs are made in short turns.
 */
public final class WarmUpRuns {
  /**
   * Short runs of the first turn. Interpreted, a vector operation takes microseconds; these runs
   * make C1 compile the code if the thresholds are a hundredth of the default ones, as the launcher
   * sets them.
   */
  private static final int FIRST_RUNS = 4;

  /**
   * Long runs after the first turn, one per turn. With the launcher's thresholds, C2 then compiles
   * with a profile whose loops run for long; otherwise it places spills in the loops. More runs
   * would make C2 compile the slow methods of the Vector API first, which its code does not need.
   */
  private static final int EARLY_LONG_RUNS = 6;

  /** Turns after which the thresholds are assumed to be the default ones. */
  private static final int EARLY_TRIES = 40;

  /** Milliseconds before each early turn. */
  private static final int EARLY_PAUSE = 10;

  /** Short runs beyond the default thresholds of C1, which count calls. */
  private static final int SHORT_RUNS = 220;

  /**
   * Long runs beyond the default thresholds of C2, which are 600 calls with 15,000 loop iterations.
   */
  private static final int LONG_RUNS = 260;

  /** Pairs of a long and a short run per check for allocation. */
  private static final int WATCHED = 4;

  /**
   * Consecutive checks without allocation after which all of the code is assumed to be compiled.
   */
  private static final int CLEAN = 3;

  /** Timeout for compilation in nanoseconds, counted from the first check. */
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /** Bytes that reading the allocation counter may allocate. */
  private static final long OWN_BYTES = 256;

  /** Nanoseconds of a turn. */
  private static final long MOMENT_NANOS = 4_000_000;

  /** Longest pause for the compiler in milliseconds. */
  private static final int LONGEST_PAUSE = 50;

  public enum State {
    GOES_ON,
    COMPILED,

    /** The code still allocates after a minute. */
    GIVEN_UP
  }

  private final Runnable run;
  private final Runnable few;
  private final LongSupplier clock;
  private final LongSupplier allocated;
  private int runs;
  private int clean;
  private int pause = 1;

  /** Early turns so far; {@link #EARLY_TRIES} if there are no more. */
  private int tries;

  private long watchedSince;

  /**
   * Creates a warming with the system's clock and allocation counter.
   *
   * @param run long run of the code
   * @param few short run of the code, with more calls than loop iterations
   */
  public WarmUpRuns(Runnable run, Runnable few) {
    this(run, few, System::nanoTime, () -> Allocated.bytes());
  }

  /**
   * Creates a warming.
   *
   * @param run long run of the code
   * @param few short run of the code, with more calls than loop iterations
   * @param clock time in nanoseconds
   * @param allocated bytes allocated by the current thread so far
   */
  WarmUpRuns(Runnable run, Runnable few, LongSupplier clock, LongSupplier allocated) {
    this.run = run;
    this.few = few;
    this.clock = clock;
    this.allocated = allocated;
  }

  public State advance() {
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

  /**
   * Makes the few runs that the launcher's thresholds need; returns true if the code is compiled.
   */
  private boolean tryEarly() {
    if (tries++ == 0) {
      for (int k = 0; k < FIRST_RUNS; k++) {
        if (isClean(few)) {
          // Code that does not allocate before compilation gives no sign of its compilation.
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

  /** Milliseconds until the next turn, left to the compiler. */
  public int pause() {
    if (tries < EARLY_TRIES) {
      return EARLY_PAUSE;
    }
    return watchedSince == 0 ? 0 : pause;
  }

  /**
   * Allocation counter, in a class of its own: loading the management classes takes tens of
   * milliseconds.
   */
  private static final class Allocated {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static long bytes() {
      return THREADS.getCurrentThreadAllocatedBytes();
    }
  }
}
