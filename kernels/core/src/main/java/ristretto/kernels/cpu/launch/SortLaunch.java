package ristretto.kernels.cpu.launch;

import java.util.Arrays;
import ristretto.kernels.cpu.memory.CpuBuffer;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Launch of a sort of rows by {@link SortKeys}; equal keys keep their order. In short rows, keys of
 * 32 bits share a long with their position and are sorted by the JDK; wider keys are sorted by
 * {@link MergeSort}. Few long rows are sorted one after the other by all threads.
 */
public final class SortLaunch extends CpuLaunch {
  private static final double NANOS = 20;
  private static final int BLOCK = 1024;

  private final Kernel.Sort kernel;
  private long rows;
  private long length;
  private IterationSpace space;
  private MemoryRef input;
  private MemoryRef values;
  private MemoryRef indices;
  private SortKeys sortKeys;

  /** Number of threads that share a long row. */
  private int shares;

  public SortLaunch(LaunchServices services, Kernel.Sort kernel) {
    super(services, kernel);
    this.kernel = kernel;
    long[] extents = kernel.extents().toArray();
    declare(kernel.input(), extents);
    long[] kept = extents.clone();
    int last = extents.length - 1;
    kept[last] = Math.min(kernel.keep(), extents[last]);
    kernel.values().ifPresent(m -> declare(m, kept));
    kernel.indices().ifPresent(m -> declare(m, kept));
    length = extents[last];
    rows = length == 0 ? 0 : kernel.extents().product() / length;
    if (rows == 0) {
      return;
    }
    space = new IterationSpace(kernel.extents(), last);
    input = new MemoryRef(space, kernel.input());
    values = kernel.values().map(m -> new MemoryRef(space, m)).orElse(null);
    indices = kernel.indices().map(m -> new MemoryRef(space, m)).orElse(null);
    sortKeys = new SortKeys(input.storage, kernel.descending());
    int threads = services.workers.size();
    boolean parallel = threads > 1 && rows * length * NANOS >= Cost.PARALLEL_NANOS;
    boolean shared = parallel && rows < 2L * threads && length >= 4 * LongRowSort.LEAST;
    shares = shared ? threads : 1;
    chunks = parallel && !shared ? TileGrid.chunks(rows, threads) : 1;
    describe(0, () -> "sort of " + kernel.input(), true);
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    Tile tile = context.tile;
    int rank = space.rank();
    tile.reserve(rank);
    int n = Math.toIntExact(length);
    for (long row = rows * index / count; row < rows * (index + 1) / count; row++) {
      long left = row;
      for (int d = rank - 2; d >= 0; d--) {
        tile.at[d] = left % space.extents[d];
        left /= space.extents[d];
      }
      tile.at[rank - 1] = 0;
      long step = input.map.strides[rank - 1] * input.size();
      long from = input.address(job, tile.at);
      long to = values == null ? 0 : values.address(job, tile.at);
      long at = indices == null ? 0 : indices.address(job, tile.at);
      if (n >= LongRowSort.LEAST) {
        sortLong(job, from, step, n, to, at, context);
      } else {
        sortShort(from, step, n, to, at, context);
      }
    }
  }

  private void sortShort(long from, long step, int n, long to, long at, ThreadContext context) {
    boolean narrow = sortKeys.narrow();
    long[] keys = context.keys(narrow ? n : 2 * n);
    int[] order = context.order(narrow ? 0 : 2 * n);
    sortKeys.read(from, step, n, keys, 0);
    int start = 0;
    if (narrow) {
      for (int i = 0; i < n; i++) {
        keys[i] |= i;
      }
      Arrays.sort(keys, 0, n);
    } else {
      for (int i = 0; i < n; i++) {
        order[i] = i;
      }
      start = MergeSort.sort(keys, order, n);
    }
    start += (int) kernel.from();
    int keep = (int) Math.min(kernel.keep(), length);
    for (int i = 0; i < keep; i++) {
      int position = narrow ? (int) keys[start + i] : order[start + i];
      write(from, step, position, to, at, i);
    }
  }

  private void write(long from, long step, int position, long to, long at, int i) {
    int last = space.rank() - 1;
    if (values != null) {
      long target = to + i * values.map.strides[last] * values.size();
      Pack.copy(input.size(), from + position * step, 0, 0, 1, 1, target, 0, 0);
    }
    if (indices != null) {
      RawMemory.putLong(at + i * indices.map.strides[last] * 8, position);
    }
  }

  private void sortLong(
      Job job, long from, long step, int n, long to, long at, ThreadContext context) {
    CpuBuffer room = services.workspaces.take(LongRowSort.bytes(n));
    try {
      boolean positions = indices != null || !restored(from, step, n, context);
      var sort = new LongRowSort(services, job, shares, sortKeys, positions, context);
      int keep = (int) Math.min(kernel.keep(), length);
      sort.run(
          from,
          step,
          n,
          (int) kernel.from(),
          keep,
          room,
          (keys, places, first, end) ->
              write(from, step, to, at, keys, places, positions, first, end));
    } finally {
      services.workspaces.give(room);
    }
  }

  /** Returns true if all elements of a row of wide keys can be restored from their keys. */
  private boolean restored(long from, long step, int n, ThreadContext context) {
    if (sortKeys.narrow() || input.storage == ScalarType.I64) {
      return !sortKeys.narrow();
    }
    long[] block = context.keys(BLOCK);
    for (int i = 0; i < n; i += BLOCK) {
      int count = Math.min(BLOCK, n - i);
      sortKeys.read(from + i * step, step, count, block, 0);
      boolean all = true;
      for (int k = 0; k < count; k++) {
        all &= sortKeys.invertible(block[k]);
      }
      if (!all) {
        return false;
      }
    }
    return true;
  }

  private void write(
      long from,
      long step,
      long to,
      long at,
      long keys,
      long places,
      boolean positions,
      int first,
      int end) {
    boolean narrow = sortKeys.narrow();
    int last = space.rank() - 1;
    long valueStep = values == null ? 0 : values.map.strides[last] * values.size();
    for (int i = first; i < end; i++) {
      long packed = RawMemory.getLong(keys + 8L * i);
      long key = narrow ? packed & 0xFFFFFFFF00000000L : packed;
      boolean direct = indices == null && (!positions || sortKeys.invertible(key));
      if (direct) {
        sortKeys.write(key, to + i * valueStep);
      } else {
        write(from, step, narrow ? (int) packed : RawMemory.getInt(places + 4L * i), to, at, i);
      }
    }
  }
}
