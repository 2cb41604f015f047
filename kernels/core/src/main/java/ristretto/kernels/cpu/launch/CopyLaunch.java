package ristretto.kernels.cpu.launch;

import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.Node;

/**
 * Launch of a kernel that stores an operand's elements unchanged, at other strides (transposed,
 * every second one, reversed), or contiguously but too many for the caches. Elements are copied
 * directly: without the scratch from which a strip would read them, or bypassing the caches.
 */
public final class CopyLaunch extends CpuLaunch {
  /**
   * Bytes per line of a transposed tile, contiguous along different dimensions in source and
   * target: two cache lines, which processors fetch together.
   */
  private static final long TRANSPOSED_LINE = 128;

  /** Elements of a transposed tile. */
  private static final long TRANSPOSED = 4096;

  /** Elements of a strided tile that is not transposed. */
  private static final long STRIDED = 1 << 14;

  /** Elements of a contiguous tile: enough for the JVM to copy them past the caches. */
  private static final long BULK = 1 << 20;

  /** Bytes moved from which copying past the caches is faster. */
  private static final long BULK_BYTES = 32 << 20;

  private final MemoryRef from;
  private final MemoryRef to;
  private final TileGrid grid;
  private final long tiles;

  private CopyLaunch(LaunchServices services, Kernel.Map kernel, MapOperands operands) {
    super(services, kernel);
    long[] extents = kernel.extents().toArray();
    kernel.inputs().forEach(operand -> declare(operand, extents));
    kernel.stores().forEach(operand -> declare(operand, extents));
    from = operands.copied();
    to = operands.store(0);
    long[] simple = operands.space.extents;
    long m = simple[simple.length - 2];
    long n = simple[simple.length - 1];
    boolean transposed = operands.transposed();
    long line = TRANSPOSED_LINE / from.size();
    long cols =
        Math.min(n, transposed ? TRANSPOSED / line : operands.direct(false) ? BULK : STRIDED);
    long rows = transposed ? line : Math.max(1, STRIDED / cols);
    grid = new TileGrid(simple, Math.min(m, rows), cols);
    tiles = grid.tiles();
    chunks =
        services.workers.size() == 1 || Cost.ofBytes(bytes()) < Cost.PARALLEL_NANOS
            ? 1
            : TileGrid.chunks(tiles, services.workers.size());
    describe(0, kernel.tape()::toString, true);
  }

  /** Creates a launch for a copy that gains from it; returns null for any other kernel. */
  public static CopyLaunch of(LaunchServices services, Kernel.Map kernel) {
    if (kernel.stores().size() != 1
        || kernel.extents().product() == 0
        || !(kernel.tape().node(kernel.tape().outputs().getFirst()) instanceof Node.Input)) {
      return null;
    }
    var operands = new MapOperands(kernel);
    return operands.copied() == null || operands.direct(false) && !bulk(operands)
        ? null
        : new CopyLaunch(services, kernel, operands);
  }

  private static boolean bulk(MapOperands operands) {
    long[] simple = operands.space.extents;
    int last = simple.length - 1;
    MemoryRef from = operands.copied();
    return simple[last - 1] == 1
        && from.map.strides[last] == 1
        && operands.store(0).map.strides[last] == 1
        && 2L * from.size() * simple[last] >= BULK_BYTES;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    run(job, tiles * index / count, tiles * (index + 1) / count, context.tile);
  }

  private void run(Job job, long first, long end, Tile tile) {
    long size = from.size();
    for (long t = first; t < end; t++) {
      grid.place(t, tile, 0);
      Pack.copy(
          (int) size,
          from.address(job, tile.at),
          from.map.strides[tile.rowDim] * size,
          from.map.strides[tile.colDim] * size,
          tile.rows,
          tile.cols,
          to.address(job, tile.at),
          to.map.strides[tile.rowDim] * size,
          to.map.strides[tile.colDim] * size);
    }
  }
}
