package ristretto.kernels.cpu.launch;

import java.util.Arrays;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.ir.Kernel;

/**
 * Launch of a sort of rows. Elements are mapped to integer keys of equal order, NaN above all
 * others; equal keys keep their order. Keys of 32 bits share a long with their position and are
 * sorted by the JDK; wider keys are sorted by {@link MergeSort}.
 */
public final class SortLaunch extends CpuLaunch {
  private static final double NANOS = 20;

  private final Kernel.Sort kernel;
  private long rows;
  private long length;
  private IterationSpace space;
  private MemoryRef input;
  private MemoryRef values;
  private MemoryRef indices;

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
    chunks =
        services.workers.size() == 1 || rows * length * NANOS < Cost.PARALLEL_NANOS
            ? 1
            : TileGrid.chunks(rows, services.workers.size());
    describe(0, () -> "sort of " + kernel.input(), true);
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    Tile tile = context.tile;
    int rank = space.rank();
    tile.reserve(rank);
    int n = (int) length;
    boolean narrow = input.size() <= 4;
    long[] keys = context.keys(narrow ? n : 2 * n);
    int[] order = context.order(narrow ? 0 : 2 * n);
    for (long row = rows * index / count; row < rows * (index + 1) / count; row++) {
      long left = row;
      for (int d = rank - 2; d >= 0; d--) {
        tile.at[d] = left % space.extents[d];
        left /= space.extents[d];
      }
      tile.at[rank - 1] = 0;
      long step = input.map.strides[rank - 1] * input.size();
      long from = input.address(job, tile.at);
      for (int i = 0; i < n; i++) {
        long key = key(from + i * step);
        keys[i] = narrow ? key << 32 | i : key;
        if (!narrow) {
          order[i] = i;
        }
      }
      int start = 0;
      if (narrow) {
        Arrays.sort(keys, 0, n);
      } else {
        start = MergeSort.sort(keys, order, n);
      }
      write(job, tile, from, step, narrow ? keys : null, order, start);
    }
  }

  /**
   * Returns the key of an element: a signed integer, complemented for descending order, except for
   * NaN.
   */
  private long key(long address) {
    boolean narrow = input.size() <= 4;
    long highest = narrow ? Integer.MAX_VALUE : Long.MAX_VALUE;
    if (input.storage.isFloat()) {
      double v =
          switch (input.storage) {
            case F16 -> Float.float16ToFloat(RawMemory.getShort(address));
            case BF16 -> Float.intBitsToFloat(RawMemory.getShort(address) << 16);
            case F32 -> RawMemory.getFloat(address);
            default -> RawMemory.getDouble(address);
          };
      if (Double.isNaN(v)) {
        return highest;
      }
      // Both zeros get one key.
      v += 0.0;
      long bits;
      if (narrow) {
        int b = Float.floatToRawIntBits((float) v);
        bits = b ^ (b >> 31 & 0x7fffffff);
      } else {
        long b = Double.doubleToRawLongBits(v);
        bits = b ^ (b >> 63 & Long.MAX_VALUE);
      }
      return kernel.descending() ? ~bits : bits;
    }
    long v =
        switch (input.storage) {
          case BOOL, I8 -> RawMemory.getByte(address);
          case U8 -> RawMemory.getByte(address) & 0xFF;
          case I32 -> RawMemory.getInt(address);
          default -> RawMemory.getLong(address);
        };
    return kernel.descending() ? ~v : v;
  }

  private void write(
      Job job, Tile tile, long from, long step, long[] packed, int[] order, int start) {
    int last = space.rank() - 1;
    int keep = (int) Math.min(kernel.keep(), length);
    long valueStep = values == null ? 0 : values.map.strides[last] * values.size();
    long to = values == null ? 0 : values.address(job, tile.at);
    long indexStep = indices == null ? 0 : indices.map.strides[last] * 8;
    long at = indices == null ? 0 : indices.address(job, tile.at);
    for (int i = 0; i < keep; i++) {
      int position = packed == null ? order[start + i] : (int) packed[i];
      if (values != null) {
        Pack.copy(input.size(), from + position * step, 0, 0, 1, 1, to + i * valueStep, 0, 0);
      }
      if (indices != null) {
        RawMemory.putLong(at + i * indexStep, position);
      }
    }
  }
}
