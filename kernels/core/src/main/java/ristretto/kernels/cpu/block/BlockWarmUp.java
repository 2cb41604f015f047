package ristretto.kernels.cpu.block;

import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cpu.runtime.WarmUpRuns;
import ristretto.kernels.cpu.runtime.WarmUpScheduler;

/** Runs the vector code of a format on zeros until it is compiled. */
final class BlockWarmUp implements WarmUpScheduler.Task {
  private static final int SAMPLED = 4096;
  private static final int SAMPLED_ROWS = 2;

  /** Rows of a short run: thresholds count calls, which are one for each row. */
  private static final int FEW_ROWS = 8;

  /** Rows whose lanes are added up; this takes less time than their products. */
  private static final int SAMPLED_SUMS = 16;

  private final Arena arena = Arena.ofAuto();
  private final long row;
  private final long blocks;
  private final long x = arena.allocate(4L * SAMPLED, 64).address();
  private final long to = arena.allocate(4L * SAMPLED, 64).address();
  private final long sums = arena.allocate(BlockLaunch.work(SAMPLED_SUMS), 64).address();
  private final LongSupplier decoded;
  private final Consumer<BlockCode> compiled;
  private final VectorBlockCode code;
  private final WarmUpRuns runs;

  /**
   * Creates the task.
   *
   * @param decoded number of elements that the scalar code has read
   * @param compiled gets the vector code when it is compiled
   */
  BlockWarmUp(BlockFormat format, LongSupplier decoded, Consumer<BlockCode> compiled) {
    this.decoded = decoded;
    this.compiled = compiled;
    row = format.rowBytes(SAMPLED);
    blocks = arena.allocate(FEW_ROWS * row, 64).address();
    code = VectorBlockCode.of(format);
    // A short run ends with an odd block or a part of one.
    int few = format == BlockFormat.I8 ? 40 : Math.max(96, format.length());
    runs = new WarmUpRuns(() -> run(SAMPLED_ROWS, SAMPLED), () -> run(FEW_ROWS, few));
  }

  private void run(int rows, int k) {
    code.multiply(blocks, row, rows, x, k, to, sums, blocks + FEW_ROWS * row - 1);
    for (int r = 0; r < rows; r++) {
      BlockLanes.total(sums, SAMPLED_SUMS, to);
      code.decode(blocks + r * row, 0, k, to);
    }
    Reference.reachabilityFence(arena);
  }

  @Override
  public long heat() {
    return decoded.getAsLong();
  }

  @Override
  public int advance() {
    return switch (runs.advance()) {
      case GOES_ON -> runs.pause();
      case COMPILED -> {
        compiled.accept(code);
        yield -1;
      }
      case GIVEN_UP -> -1;
    };
  }
}
