package ristretto.kernels.cpu.block;

import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.runtime.WarmUpRuns;
import ristretto.kernels.cpu.runtime.WarmUpScheduler;

/** Scalar loops of a format until the vector code is compiled in the background. */
final class TieredBlockCode implements BlockCode {
  /** Code by format, shared by all launches of the process. */
  private static final AtomicReferenceArray<BlockCode> ALL =
      new AtomicReferenceArray<>(BlockFormat.values().length);

  /** Elements that the scalar code reads before vector code is worth compiling. */
  private static final long HEAD_START = 1 << 16;

  private static final int SAMPLED = 4096;
  private static final int SAMPLED_ROWS = 2;

  /** Rows of a short run: thresholds count calls, which are one for each row. */
  private static final int FEW_ROWS = 8;

  /** Rows whose lanes are added up; this takes less time than their products. */
  private static final int SAMPLED_SUMS = 16;

  private final BlockFormat format;
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile BlockCode current;

  /** Elements that the scalar code has read or will read; threads may lose each other's updates. */
  private long work;

  private TieredBlockCode(BlockFormat format) {
    this.format = format;
    this.current = new ScalarBlockCode(format);
  }

  /** Returns the code of a format. */
  static BlockCode of(BlockFormat format) {
    BlockCode known = ALL.get(format.ordinal());
    if (known != null) {
      return known;
    }
    boolean vectors = VectorHardware.PRESENT && VectorHardware.BITS >= VectorBlockCode.LEAST_BITS;
    BlockCode fresh = vectors ? new TieredBlockCode(format) : new ScalarBlockCode(format);
    ALL.compareAndSet(format.ordinal(), null, fresh);
    return ALL.get(format.ordinal());
  }

  /**
   * Prepares the code of a format for matrices: the vector code of large ones is compiled while
   * kernels are planned.
   *
   * @param elements number of elements of a matrix
   */
  static BlockCode of(BlockFormat format, long elements) {
    BlockCode code = of(format);
    if (code instanceof TieredBlockCode tiered && tiered.isScalar()) {
      tiered.worked(elements);
    }
    return code;
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
    work += elements;
    if (work > HEAD_START && started.compareAndSet(false, true)) {
      WarmUpScheduler.later(new WarmUp());
    }
  }

  /** Runs the vector code on zeros until it is compiled. */
  private final class WarmUp implements WarmUpScheduler.Task {
    private final Arena arena = Arena.ofAuto();
    private final long row = format.rowBytes(SAMPLED);
    private final long blocks = arena.allocate(FEW_ROWS * row, 64).address();
    private final long x = arena.allocate(4L * SAMPLED, 64).address();
    private final long to = arena.allocate(4L * SAMPLED, 64).address();
    private final long work = arena.allocate(BlockLaunch.work(SAMPLED_SUMS), 64).address();
    private final VectorBlockCode code = VectorBlockCode.of(format);
    private final WarmUpRuns runs =
        new WarmUpRuns(() -> run(SAMPLED_ROWS, SAMPLED), () -> run(FEW_ROWS, few(format)));

    /** Elements of a short run, which end with an odd block or a part of one. */
    private static int few(BlockFormat format) {
      return format == BlockFormat.I8 ? 40 : Math.max(96, format.length());
    }

    private void run(int rows, int k) {
      code.multiply(blocks, row, rows, x, k, to, work, blocks + FEW_ROWS * row - 1);
      BlockLanes.total(work, SAMPLED_SUMS, to);
      for (int r = 0; r < rows; r++) {
        code.decode(blocks + r * row, 0, k, to);
      }
      Reference.reachabilityFence(arena);
    }

    @Override
    public long heat() {
      return work;
    }

    @Override
    public int advance() {
      return switch (runs.advance()) {
        case GOES_ON -> runs.pause();
        case COMPILED -> {
          current = code;
          yield -1;
        }
        case GIVEN_UP -> -1;
      };
    }
  }
}
