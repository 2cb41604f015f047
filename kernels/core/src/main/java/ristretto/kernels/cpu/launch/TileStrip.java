package ristretto.kernels.cpu.launch;

import ristretto.kernels.cpu.operands.OperandBinding;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.scalar.Tape;

/**
 * Strip over the tiles of {@link MapOperands} with stores in scratch: the first half of a scan or
 * scatter.
 */
final class TileStrip {
  final boolean found;
  private final OperandBinding[] bindings;
  private final Strip strip;
  private final long stripScratch;
  private final long scratchBytes;
  private final boolean flat;

  /**
   * Compiles the strip and reserves its scratch.
   *
   * @param scratch layout of the scratch, which may hold areas of the caller already
   */
  TileStrip(
      LaunchServices services,
      String name,
      MapOperands operands,
      TileSizes choice,
      ScratchLayout scratch) {
    StripKey key = operands.bindings(choice, (int) (choice.rows() * choice.cols()), scratch);
    found = services.cached(key);
    bindings = operands.bindings;
    strip = services.strip(key, name).strip();
    flat = choice.flat();
    stripScratch = scratch.take(strip.scratchBytes());
    scratchBytes = scratch.bytes();
  }

  /** Prepares the thread's tile and arguments. */
  Tile begin(ThreadContext context) {
    context.reserve(bindings.length);
    Tile tile = context.tile;
    tile.scratch = context.scratch(scratchBytes);
    tile.flat = flat;
    tile.packed = 0;
    return tile;
  }

  /**
   * Runs the strip on the current tile; returns the address of the dense values of the last store.
   */
  long compute(Job job, Tile tile, ThreadContext context) {
    tile.first = tile.rows * tile.cols > tile.packed;
    tile.packed = Math.max(tile.packed, tile.rows * tile.cols);
    long[] pointers = context.pointers;
    for (int k = 0; k < bindings.length; k++) {
      if (bindings[k] != null) {
        pointers[k] = bindings[k].pointer(job, tile, context, k);
      }
    }
    long scratch = tile.scratch + stripScratch;
    if (flat) {
      strip.run(pointers, context.rowStrides, 1, tile.rows * tile.cols, scratch);
    } else {
      strip.run(pointers, context.rowStrides, tile.rows, tile.cols, scratch);
    }
    return pointers[bindings.length - 1];
  }

  /** Writes the last store of the current tile to its target. */
  void finish(Job job, Tile tile) {
    bindings[bindings.length - 1].finish(job, tile);
  }

  static long operations(Tape tape, long points) {
    return points * (1 + Cost.flops(tape));
  }
}
