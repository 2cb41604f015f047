package ristretto.kernels.cpu;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import ristretto.kernels.debug.Passes;

/**
 * Scalar code at first, which is quick to compile, and vector code once that is compiled, in the
 * background. Both compute the same bits, so the exchange may happen between any two calls.
 */
final class TieredStrip implements Strip {
  /**
   * Elements (and {@link #CALL} for each row) after which the vector code is made. Until then the
   * scalar code has the compilers to itself: warming up makes C1 compile hundreds of methods of the
   * Vector API, behind which it would wait.
   */
  private static final long HEAD_START = 1 << 18;

  private static final int CALL = 64;

  private final String name;
  private final StripSpec spec;
  private final int scratchBytes;
  private final Supplier<Strip> vector;
  private final AtomicBoolean started = new AtomicBoolean();

  /** The scalar code until the vector code takes over. */
  private volatile Strip current;

  private volatile RuntimeException failure;

  /** Elements computed by the scalar code; threads may miss each other's. */
  private long work;

  /**
   * @param name label of the kernel, for the debug ladder
   * @param vector makes the vector code; called once, on the thread of {@link WarmUp}
   */
  TieredStrip(String name, StripSpec spec, Strip scalar, int scratchBytes, Supplier<Strip> vector) {
    this.name = name;
    this.spec = spec;
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
    if (!started.getPlain()) {
      work += rows * (long) (n + CALL);
      if (work > HEAD_START && rows > 0 && n > 0 && started.compareAndSet(false, true)) {
        Sample sample = Sample.of(spec, scratchBytes, pointers, n);
        WarmUp.later(() -> exchange(sample));
      }
    }
    if (failure != null) {
      throw failure;
    }
    current.run(pointers, rowStrides, rows, n, scratch);
  }

  private void exchange(Sample sample) {
    try {
      Strip strip = vector.get();
      long start = System.nanoTime();
      WarmUp.until(strip, sample);
      Passes.timed(name, "WarmUp", start);
      current = strip;
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  /** Whether the vector code has taken over. */
  boolean exchanged(Strip scalar) {
    return current != scalar;
  }
}
