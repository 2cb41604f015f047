package ristretto.kernels.cpu.launch;

import ristretto.kernels.cpu.operands.OperandBinding;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.ir.Kernel;

/** Launch of an element-wise kernel: a loop over tiles with one call of the strip per tile. */
public final class MapLaunch extends CpuLaunch {
  private final long tiles;
  private TileGrid grid;
  private Strip strip;
  private OperandBinding[] bindings;
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

  public MapLaunch(LaunchServices services, Kernel.Map kernel) {
    super(services, kernel);
    long[] extents = kernel.extents().toArray();
    kernel.inputs().forEach(operand -> declare(operand, extents));
    kernel.stores().forEach(operand -> declare(operand, extents));
    long points = kernel.extents().product();
    if (points == 0) {
      tiles = 0;
      return;
    }
    var operands = new MapOperands(kernel);
    double nanos = points * Cost.of(kernel.tape()) + Cost.ofBytes(bytes());
    int threads = nanos < Cost.PARALLEL_NANOS ? 1 : services.workers.size();
    var choice = TileSizes.of(operands, threads);
    grid = new TileGrid(operands.space.extents, choice.rows(), choice.cols());
    flat = choice.flat();
    tiles = grid.tiles();
    var scratch = new ScratchLayout();
    int elements = (int) Math.min(Integer.MAX_VALUE, choice.rows() * choice.cols());
    StripKey key = operands.bindings(choice, elements, scratch);
    bindings = operands.bindings;
    packs = operands.packs;
    boolean found = services.cached(key);
    strip = services.strip(key, name()).strip();
    stripScratch = scratch.take(strip.scratchBytes());
    scratchBytes = scratch.bytes();
    chunks = threads == 1 ? 1 : TileGrid.chunks(tiles, threads);
    describe(points * Cost.flops(kernel.tape()), kernel.tape()::toString, found);
    single = tiles == 1 && !packs && plain();
  }

  private boolean plain() {
    plainBuffer = new int[bindings.length];
    plainOffset = new long[bindings.length];
    plainStride = new long[bindings.length];
    long[] origin = new long[grid.rank()];
    for (int k = 0; k < bindings.length; k++) {
      switch (bindings[k]) {
        case null -> plainBuffer[k] = -1;
        case OperandBinding.Value v -> {
          plainBuffer[k] = -1;
          plainOffset[k] = 8L * v.argument();
        }
        case OperandBinding.Direct d -> {
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

  /** Returns the address of the strip's own scratch memory; 0 if the kernel needs none. */
  private long ofStrip(ThreadContext context) {
    return scratchBytes == 0 ? 0 : context.scratch(scratchBytes) + stripScratch;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    context.reserve(bindings.length);
    long[] pointers = context.pointers;
    if (single) {
      for (int k = 0; k < plainBuffer.length; k++) {
        int buffer = plainBuffer[k];
        pointers[k] = (buffer < 0 ? job.scalars : job.buffers[buffer]) + plainOffset[k];
      }
      int rows = (int) grid.rowExtent();
      int cols = (int) grid.colExtent();
      long scratch = ofStrip(context);
      if (flat) {
        strip.run(pointers, plainStride, 1, rows * cols, scratch);
      } else {
        strip.run(pointers, plainStride, rows, cols, scratch);
      }
      return;
    }
    long from = tiles * index / count;
    long to = tiles * (index + 1) / count;
    long[] rowStrides = context.rowStrides;
    Tile tile = context.tile;
    tile.scratch = scratchBytes == 0 ? 0 : context.scratch(scratchBytes);
    tile.flat = flat;
    tile.packed = 0;
    for (long t = from; t < to; t++) {
      grid.place(t, tile, 0);
      tile.first = tile.rows * tile.cols > tile.packed;
      tile.packed = Math.max(tile.packed, tile.rows * tile.cols);
      for (int k = 0; k < bindings.length; k++) {
        if (bindings[k] != null) {
          pointers[k] = bindings[k].pointer(job, tile, context, k);
        }
      }
      long scratch = tile.scratch + stripScratch;
      if (flat) {
        strip.run(pointers, rowStrides, 1, tile.rows * tile.cols, scratch);
      } else {
        strip.run(pointers, rowStrides, tile.rows, tile.cols, scratch);
      }
      if (packs) {
        for (OperandBinding binding : bindings) {
          if (binding != null) {
            binding.finish(job, tile);
          }
        }
      }
    }
  }
}
