package ristretto.kernels.cpu;

import ristretto.kernels.ir.Kernel;

/** Launch of an element-wise kernel: a loop over tiles with one call of the strip per tile. */
final class MapLaunch extends CpuLaunch implements Chunked {
  private final long tiles;
  private final int chunks;
  private TileGrid grid;
  private Strip strip;
  private Feed[] feeds;
  private boolean flat;
  private long scratchBytes;
  private long stripScratch;
  private boolean packs;

  /**
   * True if the kernel is one tile without packed, gathered or index operands, so that the strip is
   * called directly.
   */
  private boolean single;

  private int[] plainBuffer;
  private long[] plainOffset;
  private long[] plainStride;

  MapLaunch(CpuDevice device, Kernel.Map kernel) {
    super(device, kernel);
    long[] extents = kernel.extents().toArray();
    kernel.inputs().forEach(operand -> declare(operand, extents));
    kernel.stores().forEach(operand -> declare(operand, extents));
    long points = kernel.extents().product();
    if (points == 0) {
      tiles = 0;
      chunks = 0;
      return;
    }
    var operands = new MapOperands(kernel);
    double nanos = points * Cost.of(kernel.tape()) + Cost.ofBytes(bytes());
    int threads = nanos < Cost.PARALLEL_NANOS ? 1 : device.team.size();
    var choice = TileChoice.of(operands, threads);
    grid = new TileGrid(operands.geometry.extents, choice.rows(), choice.cols());
    flat = choice.flat();
    tiles = grid.tiles();
    var scratch = new ScratchLayout();
    int elements = (int) Math.min(Integer.MAX_VALUE, choice.rows() * choice.cols());
    StripKey key = operands.feeds(choice, elements, scratch);
    feeds = operands.feeds;
    packs = operands.packs;
    boolean found = device.cached(key);
    strip = device.strip(key, name()).strip();
    stripScratch = scratch.take(strip.scratchBytes());
    scratchBytes = scratch.bytes();
    chunks = threads == 1 ? 1 : TileGrid.chunks(tiles, threads);
    describe(points * Cost.flops(kernel.tape()), kernel.tape()::toString, found);
    single = tiles == 1 && !packs && plain();
  }

  private boolean plain() {
    plainBuffer = new int[feeds.length];
    plainOffset = new long[feeds.length];
    plainStride = new long[feeds.length];
    long[] origin = new long[grid.rank()];
    for (int k = 0; k < feeds.length; k++) {
      switch (feeds[k]) {
        case null -> plainBuffer[k] = -1;
        case Feed.Value v -> {
          plainBuffer[k] = -1;
          plainOffset[k] = 8L * v.argument();
        }
        case Feed.Direct d -> {
          if (d.memory().index != null) {
            return false;
          }
          plainBuffer[k] = d.memory().buffer;
          plainOffset[k] = d.memory().map.at(origin) * d.memory().size();
          plainStride[k] = d.memory().map.strides[grid.rowDim()] * d.memory().size();
        }
        default -> {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  void execute(Job job, ThreadContext context) {
    if (single) {
      context.reserve(feeds.length);
      long[] pointers = context.pointers;
      for (int k = 0; k < plainBuffer.length; k++) {
        int buffer = plainBuffer[k];
        pointers[k] = (buffer < 0 ? job.scalars : job.buffers[buffer]) + plainOffset[k];
      }
      int rows = (int) grid.rowExtent();
      int cols = (int) grid.colExtent();
      long scratch = stripScratch(context);
      if (flat) {
        strip.run(pointers, plainStride, 1, rows * cols, scratch);
      } else {
        strip.run(pointers, plainStride, rows, cols, scratch);
      }
    } else if (chunks == 1) {
      run(job, 0, tiles, context);
    } else if (chunks > 1) {
      device.team.run(job, this, chunks);
    }
  }

  private long stripScratch(ThreadContext context) {
    return scratchBytes == 0 ? 0 : context.scratch(scratchBytes) + stripScratch;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    run(job, tiles * index / count, tiles * (index + 1) / count, context);
  }

  private void run(Job job, long from, long to, ThreadContext context) {
    context.reserve(feeds.length);
    long[] pointers = context.pointers;
    long[] rowStrides = context.rowStrides;
    Tile tile = context.tile;
    tile.scratch = scratchBytes == 0 ? 0 : context.scratch(scratchBytes);
    tile.flat = flat;
    tile.packed = 0;
    for (long t = from; t < to; t++) {
      grid.place(t, tile, 0);
      tile.first = tile.rows * tile.cols > tile.packed;
      tile.packed = Math.max(tile.packed, tile.rows * tile.cols);
      for (int k = 0; k < feeds.length; k++) {
        if (feeds[k] != null) {
          pointers[k] = feeds[k].pointer(job, tile, context, k);
        }
      }
      long scratch = tile.scratch + stripScratch;
      if (flat) {
        strip.run(pointers, rowStrides, 1, tile.rows * tile.cols, scratch);
      } else {
        strip.run(pointers, rowStrides, tile.rows, tile.cols, scratch);
      }
      if (packs) {
        for (Feed feed : feeds) {
          if (feed != null) {
            feed.finish(job, tile);
          }
        }
      }
    }
  }
}
