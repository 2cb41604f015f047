package ristretto.kernels.cpu;

import ristretto.kernels.scalar.Tape;

/**
 * A strip over the tiles of {@link MapOperands} whose stores stay in scratch: the first half of a
 * scan or scatter.
 */
final class TileRun {
  final boolean found;
  private final Feed[] feeds;
  private final Strip strip;
  private final long stripScratch;
  private final long scratchBytes;
  private final boolean flat;

  /**
   * @param scratch may hold areas of the caller already
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

  /** Readies the thread's tile. */
  Tile begin(ThreadContext context) {
    context.reserve(feeds.length);
    Tile tile = context.tile;
    tile.scratch = context.scratch(scratchBytes);
    tile.flat = flat;
    tile.packed = 0;
    return tile;
  }

  /** Computes the tile at hand; the first store's dense values are at the address returned. */
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

  /** Writes the store of the tile at hand to its place. */
  void finish(Job job, Tile tile) {
    feeds[feeds.length - 1].finish(job, tile);
  }

  static long operations(Tape tape, long points) {
    return points * (1 + Cost.flops(tape));
  }
}
