package ristretto.kernels.cpu;

/** Converts one argument of a strip to the form that the strip accepts, tile by tile. */
abstract sealed class Feed permits Feed.Value, Feed.Direct, Feed.Index, PackFeed, IndexPackFeed {
  /** Returns the pointer for the current tile and sets the row stride of {@code slot}. */
  abstract long pointer(Job job, Tile tile, ThreadContext context, int slot);

  /** Writes a packed store to its target, after the strip. */
  void finish(Job job, Tile tile) {}

  /** Launch scalar. */
  static final class Value extends Feed {
    private final int argument;

    Value(int argument) {
      this.argument = argument;
    }

    @Override
    long pointer(Job job, Tile tile, ThreadContext context, int slot) {
      context.rowStrides[slot] = 0;
      return job.scalars + 8L * argument;
    }

    int argument() {
      return argument;
    }
  }

  /** Memory that the strip accesses without packing; a gather may move it between tiles. */
  static final class Direct extends Feed {
    private final MemoryRef memory;

    Direct(MemoryRef memory) {
      this.memory = memory;
    }

    @Override
    long pointer(Job job, Tile tile, ThreadContext context, int slot) {
      context.rowStrides[slot] = memory.map.strides[tile.rowDim] * tile.rowStep * memory.size();
      return memory.address(job, tile.at);
    }

    MemoryRef memory() {
      return memory;
    }
  }

  /** Affine form of the indices, as three longs in the thread's scratch (base, step, row step). */
  static final class Index extends Feed {
    private final Walk map;
    private final long area;

    /** Advances the form at {@code cell} by {@code rows} rows. */
    static void advance(long cell, int rows) {
      Raw.putLong(cell, Raw.getLong(cell) + rows * Raw.getLong(cell + 16));
    }

    Index(Walk map, ScratchLayout scratch) {
      this.map = map;
      this.area = scratch.take(24);
    }

    @Override
    long pointer(Job job, Tile tile, ThreadContext context, int slot) {
      long cell = tile.scratch + area;
      Raw.putLong(cell, map.at(tile.at));
      Raw.putLong(cell + 8, map.strides[tile.colDim]);
      Raw.putLong(cell + 16, map.strides[tile.rowDim] * tile.rowStep);
      context.rowStrides[slot] = 0;
      return cell;
    }
  }
}
