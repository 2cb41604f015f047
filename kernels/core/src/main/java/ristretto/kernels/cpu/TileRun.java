package ristretto.kernels.cpu;

import ristretto.kernels.scalar.Tape;

/**
 * Strip over the tiles of {@link MapOperands} with stores in scratch: the first half of a scan or
 * scatter.
 */
final class TileRun {
  final boolean found;
  private final Feed[] feeds;
  private final Strip strip;
  private final long stripScratch;
  private final long scratchBytes;
  private final boolean flat;

  /**
   * Compiles the strip and reserves its scratch.
   *
   * @param scratch layout of the scratch, which may hold areas of the caller already
   */
  TileRun(
      CpuDevice device,
      String name,
      MapOperands operands,
      TileChoice choice,
      ScratchLayout scratch) {
    StripKey key = operands.feeds(choice, (int) (choice.rows() * choice.cols()), scratch);
    found = device.cached(key);
    feeds = operands.feeds;
    strip = device.strip(key, name).strip();
    flat = choice.flat();
    stripScratch = scratch.take(strip.scratchBytes());
    scratchBytes = scratch.bytes();
  }

  /** Prepares the thread's tile and arguments. */
  Tile begin(ThreadContext context) {
    context.reserve(feeds.length);
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
    for (int k = 0; k < feeds.length; k++) {
      if (feeds[k] != null) {
        pointers[k] = feeds[k].pointer(job, tile, context, k);
      }
    }
    long scratch = tile.scratch + stripScratch;
    if (flat) {
      strip.run(pointers, context.rowStrides, 1, tile.rows * tile.cols, scratch);
    } else {
      strip.run(pointers, context.rowStrides, tile.rows, tile.cols, scratch);
    }
    return pointers[feeds.length - 1];
  }

  /** Writes the last store of the current tile to its target. */
  void finish(Job job, Tile tile) {
    feeds[feeds.length - 1].finish(job, tile);
  }

  static long operations(Tape tape, long points) {
    return points * (1 + Cost.flops(tape));
  }
}
