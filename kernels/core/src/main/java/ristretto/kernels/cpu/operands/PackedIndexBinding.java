package ristretto.kernels.cpu.operands;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;

/**
 * Affine form of the indices that is no single progression over a flat tile; its values are written
 * to scratch.
 */
public final class PackedIndexBinding extends OperandBinding {
  private final StridedCursor map;
  private final boolean wide;
  private final long area;

  /**
   * Reserves scratch for the values of a tile.
   *
   * @param wide true for I64, false for I32
   */
  public PackedIndexBinding(StridedCursor map, boolean wide, int elements, ScratchLayout scratch) {
    this.map = map;
    this.wide = wide;
    this.area = scratch.take(8L * elements);
  }

  @Override
  public long pointer(Job job, Tile tile, ThreadContext context, int slot) {
    long to = tile.scratch + area;
    long start = map.at(tile.at);
    long rowStep = map.strides[tile.rowDim] * tile.rowStep;
    long colStep = map.strides[tile.colDim];
    long p = to;
    for (int r = 0; r < tile.rows; r++) {
      long v = start + r * rowStep;
      for (int c = 0; c < tile.cols; c++, v += colStep) {
        if (wide) {
          RawMemory.putLong(p, v);
          p += 8;
        } else {
          RawMemory.putInt(p, (int) v);
          p += 4;
        }
      }
    }
    context.rowStrides[slot] = (long) tile.cols * (wide ? 8 : 4);
    return to;
  }
}
