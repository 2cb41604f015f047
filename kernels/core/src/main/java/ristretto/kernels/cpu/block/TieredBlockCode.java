package ristretto.kernels.cpu.block;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.runtime.WarmUpScheduler;

/** Scalar loops of a format until the vector code is compiled in the background. */
final class TieredBlockCode implements BlockCode {
  /** Code by format, shared by all launches of the process. */
  private static final AtomicReferenceArray<BlockCode> ALL =
      new AtomicReferenceArray<>(BlockFormat.values().length);

  /** Elements that the scalar code reads before vector code is worth compiling. */
  private static final long HEAD_START = 1 << 16;

  private final BlockFormat format;
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile BlockCode current;

  /** Elements that the scalar code has read or will read; threads may lose each other's updates. */
  private long decoded;

  private TieredBlockCode(BlockFormat format) {
    this.format = format;
    this.current = new ScalarBlockCode(format);
  }

  /** Returns true if the processor has vectors that are wide enough for the vector code. */
  static boolean hasVectors() {
    return VectorHardware.PRESENT && VectorHardware.BITS >= VectorBlockCode.LEAST_BITS;
  }

  /** Returns the code of a format. */
  static BlockCode of(BlockFormat format) {
    BlockCode known = ALL.get(format.ordinal());
    if (known != null) {
      return known;
    }
    BlockCode fresh = hasVectors() ? new TieredBlockCode(format) : new ScalarBlockCode(format);
    ALL.compareAndSet(format.ordinal(), null, fresh);
    return ALL.get(format.ordinal());
  }

  /**
   * Prepares the code of a format for matrices: the vector code of large ones is compiled before
   * their first product.
   *
   * @param elements number of elements of a matrix
   */
  static void expect(BlockFormat format, long elements) {
    if (of(format) instanceof TieredBlockCode tiered && tiered.isScalar()) {
      tiered.worked(elements);
    }
  }

  /** Returns true while the vector code is not compiled. */
  boolean isScalar() {
    return current instanceof ScalarBlockCode;
  }

  @Override
  public void multiply(
      long blocks, long step, int rows, long x, long k, long to, long work, long last) {
    BlockCode code = current;
    if (code instanceof ScalarBlockCode) {
      worked(rows * k);
    }
    code.multiply(blocks, step, rows, x, k, to, work, last);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    BlockCode code = current;
    if (code instanceof ScalarBlockCode) {
      worked(count);
    }
    code.decode(blocks, from, count, to);
  }

  private void worked(long elements) {
    decoded += elements;
    if (decoded > HEAD_START && started.compareAndSet(false, true)) {
      WarmUpScheduler.later(new BlockWarmUp(format, () -> decoded, code -> current = code));
    }
  }
}
