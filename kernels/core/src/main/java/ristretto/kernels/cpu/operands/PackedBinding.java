package ristretto.kernels.cpu.operands;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.scalar.ScalarType;

/**
 * Operand that the strip cannot access itself: strided, narrow, bounded, or gathered element by
 * element. Its tile is packed into dense scratch before the strip, or unpacked from there
 * afterwards.
 */
public final class PackedBinding extends OperandBinding {
  private final MemoryRef memory;
  private final boolean store;

  /** True if all tiles have equal elements, so that packing the first is enough. */
  private final boolean invariant;

  private final long area;
  private final int packedBytes;

  /**
   * Reserves scratch for a packed tile.
   *
   * @param elements most elements of a tile
   * @param invariant true if all tiles have equal elements, up to their extent
   */
  public PackedBinding(
      MemoryRef memory, boolean store, boolean invariant, int elements, ScratchLayout scratch) {
    this.memory = memory;
    this.store = store;
    this.invariant = invariant;
    this.packedBytes = Pack.packed(memory.storage).bytes();
    this.area = scratch.take((long) elements * packedBytes);
  }

  @Override
  public long pointer(Job job, Tile tile, ThreadContext context, int slot) {
    boolean repeats = repeats(tile);
    context.rowStrides[slot] = repeats ? 0 : (long) tile.cols * packedBytes;
    long to = tile.scratch + area;
    if (!store && (tile.first || !invariant)) {
      load(job, tile, repeats ? 1 : tile.rows, to);
    }
    return to;
  }

  /**
   * Returns true if all rows of a tile are equal, so that one packed row is read for each of them.
   */
  private boolean repeats(Tile tile) {
    return !store
        && !tile.flat
        && memory.box == null
        && memory.map.strides[tile.rowDim] == 0
        && (memory.index == null || memory.index.strides[tile.rowDim] == 0);
  }

  private void load(Job job, Tile tile, int tileRows, long to) {
    long pitch = (long) tile.cols * packedBytes;
    int row = 0;
    int rows = tileRows;
    int col = 0;
    int cols = tile.cols;
    Box box = memory.box;
    if (box != null) {
      boolean outside = box.empty;
      for (int d = 0; d < box.from.length; d++) {
        if (d != tile.rowDim && d != tile.colDim) {
          outside |= tile.at[d] < box.from[d] || tile.at[d] >= box.to[d];
        }
      }
      if (tile.rowDim != tile.colDim) {
        long at = tile.at[tile.rowDim];
        row = clamp(box.from[tile.rowDim] - at, tileRows);
        rows = clamp(box.to[tile.rowDim] - at, tileRows) - row;
      }
      long at = tile.at[tile.colDim];
      col = clamp(box.from[tile.colDim] - at, tile.cols);
      cols = clamp(box.to[tile.colDim] - at, tile.cols) - col;
      outside |= rows <= 0 || cols <= 0;
      if (outside || rows < tileRows || cols < tile.cols) {
        RawMemory.zero(to, pitch * tileRows);
      }
      if (outside) {
        return;
      }
    }
    if (memory.index == null) {
      long rowStride = memory.map.strides[tile.rowDim] * tile.rowStep * memory.size();
      long colStride = memory.map.strides[tile.colDim] * memory.size();
      long from = memory.address(job, tile.at) + row * rowStride + col * colStride;
      Pack.load(
          memory.storage,
          from,
          rowStride,
          colStride,
          rows,
          cols,
          to + row * pitch + (long) col * packedBytes,
          pitch);
    } else {
      gather(job, tile, row, rows, col, cols, to, pitch);
    }
  }

  private static int clamp(long v, int most) {
    return (int) Math.max(0, Math.min(v, most));
  }

  private void gather(
      Job job, Tile tile, int row, int rows, int col, int cols, long to, long pitch) {
    int size = memory.size();
    ScalarType storage = memory.storage;
    long base = job.buffers[memory.buffer] + memory.map.at(tile.at) * size;
    long position = memory.index.at(tile.at);
    long rowStride = memory.map.strides[tile.rowDim] * tile.rowStep * size;
    long colStride = memory.map.strides[tile.colDim] * size;
    long rowPosition = memory.index.strides[tile.rowDim] * tile.rowStep;
    long colPosition = memory.index.strides[tile.colDim];
    long step = memory.gather.stride() * size;
    for (int r = row; r < row + rows; r++) {
      long line = to + r * pitch;
      long from = base + r * rowStride;
      long at = position + r * rowPosition;
      if (colPosition == 0) {
        long start = from + memory.gathered(job, at) * step + col * colStride;
        Pack.load(storage, start, 0, colStride, 1, cols, line + (long) col * packedBytes, pitch);
      } else if (storage == ScalarType.F32 || storage == ScalarType.I32) {
        for (int c = col; c < col + cols; c++) {
          long source = from + c * colStride + memory.gathered(job, at + c * colPosition) * step;
          RawMemory.putInt(line + 4L * c, RawMemory.getInt(source));
        }
      } else {
        for (int c = col; c < col + cols; c++) {
          long source = from + c * colStride + memory.gathered(job, at + c * colPosition) * step;
          Pack.load(storage, source, 0, 0, 1, 1, line + (long) c * packedBytes, pitch);
        }
      }
    }
  }

  @Override
  public void finish(Job job, Tile tile) {
    if (store) {
      long rowStride = memory.map.strides[tile.rowDim] * tile.rowStep * memory.size();
      long colStride = memory.map.strides[tile.colDim] * memory.size();
      Pack.store(
          memory.storage,
          tile.scratch + area,
          (long) tile.cols * packedBytes,
          tile.rows,
          tile.cols,
          memory.address(job, tile.at),
          rowStride,
          colStride);
    }
  }
}
