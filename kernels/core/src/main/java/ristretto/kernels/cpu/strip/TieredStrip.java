package ristretto.kernels.cpu.strip;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import ristretto.kernels.cpu.runtime.WarmUpRuns;
import ristretto.kernels.cpu.runtime.WarmUpScheduler;
import ristretto.kernels.debug.Passes;

/**
 * Strip in two tiers: scalar code at first, which is quick to compile, and vector code once the
 * background thread has compiled it. Both compute equal bits, so that the exchange may happen
 * between any two calls.
 */
public final class TieredStrip implements Strip {
  /**
   * Operations before vector code is generated: as many as scalar code compiled by C2 executes in
   * some tens of milliseconds, which is about the time of compilation. Short work then costs no
   * compilation, and scalar code has the compilers to itself at first: warming up vector code makes
   * C1 compile hundreds of methods of the Vector API, which would delay it.
   */
  private static final long HEAD_START = 1 << 26;

  /** Overhead of a row, in elements. */
  private static final int CALL = 64;

  private final String name;
  private final StripSpec spec;
  private final int scratchBytes;
  private final Supplier<Strip> vector;
  private final AtomicBoolean started = new AtomicBoolean();

  /** Scalar code until the vector code takes over. */
  private volatile Strip current;

  private volatile RuntimeException failure;

  /** Number of operations per element. */
  private final int operations;

  /** Elements computed by the scalar code; threads may lose each other's updates. */
  private long work;

  /** True once the choice of code is final and elements are no longer counted. */
  private volatile boolean settled;

  /**
   * Creates a strip that starts with scalar code.
   *
   * @param name label of the kernel, for the debug ladder
   * @param vector generates the vector code; called once, on the thread of {@link WarmUpScheduler}
   */
  public TieredStrip(
      String name, StripSpec spec, Strip scalar, int scratchBytes, Supplier<Strip> vector) {
    this.name = name;
    this.spec = spec;
    this.operations = spec.tape().nodes().size();
    this.scratchBytes = scratchBytes;
    this.vector = vector;
    this.current = scalar;
  }

  @Override
  public int scratchBytes() {
    return scratchBytes;
  }

  @Override
  public void run(long[] pointers, long[] rowStrides, int rows, int n, long scratch) {
    if (!settled) {
      work += rows * (long) (n + CALL);
      if (work * operations > HEAD_START && rows > 0 && n > 0 && !started.getPlain()) {
        start(pointers, n);
      }
    }
    if (failure != null) {
      throw failure;
    }
    current.run(pointers, rowStrides, rows, n, scratch);
  }

  private void start(long[] pointers, int n) {
    if (started.compareAndSet(false, true)) {
      WarmUpScheduler.later(
          new Exchange(SampleOperands.of(spec, scratchBytes, pointers, n), current));
    }
  }

  private final class Exchange implements WarmUpScheduler.Task {
    private static final int TIMED_RUNS = 9;

    private final SampleOperands sample;
    private final Strip scalar;
    private Strip strip;
    private WarmUpRuns warming;
    private long nanos;

    Exchange(SampleOperands sample, Strip scalar) {
      this.sample = sample;
      this.scalar = scalar;
    }

    /** Returns the operations executed so far, roughly proportional to the time in scalar code. */
    @Override
    public long heat() {
      return work * operations;
    }

    @Override
    public int advance() {
      long start = System.nanoTime();
      try {
        if (strip == null) {
          strip = vector.get();
          warming = new WarmUpRuns(() -> sample.run(strip), () -> sample.runFew(strip));
        }
        WarmUpRuns.State state = warming.advance();
        nanos += System.nanoTime() - start;
        if (state == WarmUpRuns.State.GOES_ON) {
          return warming.pause();
        }
        if (state == WarmUpRuns.State.COMPILED || least(strip) < least(scalar)) {
          current = strip;
        }
        Passes.timed(name, "WarmUp", System.nanoTime() - nanos);
      } catch (RuntimeException e) {
        failure = e;
      }
      settled = true;
      return -1;
    }

    private long least(Strip code) {
      long least = Long.MAX_VALUE;
      for (int k = 0; k < TIMED_RUNS; k++) {
        long start = System.nanoTime();
        sample.run(code);
        least = Math.min(least, System.nanoTime() - start);
      }
      return least;
    }
  }

  /** Returns true if the vector code has taken over. */
  public boolean exchanged(Strip scalar) {
    return current != scalar;
  }
}
