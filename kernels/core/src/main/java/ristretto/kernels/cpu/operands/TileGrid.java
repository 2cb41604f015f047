package ristretto.kernels.cpu.operands;

import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.Tile;

/**
 * Division of an iteration space into tiles over its last two dimensions, numbered so that
 * consecutive tiles are adjacent in memory.
 */
public final class TileGrid {
  /** Chunks per thread, for load balance. */
  private static final int CHUNKS_A_THREAD = 6;

  private final long[] extents;
  private final long rows;
  private final long cols;
  private final long rowTiles;
  private final long colTiles;

  public TileGrid(long[] extents, long rows, long cols) {
    this.extents = extents;
    this.rows = rows;
    this.cols = cols;
    rowTiles = (rowExtent() + rows - 1) / rows;
    colTiles = (colExtent() + cols - 1) / cols;
  }

  public static int chunks(long tiles, int threads) {
    return (int) Math.min(tiles, Math.max(8, Math.min(Job.MOST_CHUNKS, CHUNKS_A_THREAD * threads)));
  }

  public int rank() {
    return extents.length;
  }

  public int rowDim() {
    return extents.length - 2;
  }

  public long rowExtent() {
    return extents[extents.length - 2];
  }

  public long colExtent() {
    return extents[extents.length - 1];
  }

  public long tiles() {
    long n = rowTiles * colTiles;
    for (int d = 0; d < extents.length - 2; d++) {
      n *= extents[d];
    }
    return n;
  }

  /**
   * Sets {@code tile} to tile number t of this space, whose dimensions are those of the tile from
   * {@code base} on.
   */
  public void place(long t, Tile tile, int base) {
    int rank = extents.length;
    tile.reserve(base + rank);
    tile.rowDim = base + rank - 2;
    tile.colDim = base + rank - 1;
    tile.rowStep = 1;
    long col = colTiles == 1 ? 0 : t % colTiles * cols;
    t = colTiles == 1 ? t : t / colTiles;
    long row = rowTiles == 1 ? 0 : t % rowTiles * rows;
    t = rowTiles == 1 ? t : t / rowTiles;
    tile.at[base + rank - 1] = col;
    tile.at[base + rank - 2] = row;
    for (int d = rank - 3; d >= 0; d--) {
      tile.at[base + d] = t % extents[d];
      t /= extents[d];
    }
    tile.cols = (int) Math.min(cols, colExtent() - col);
    tile.rows = (int) Math.min(rows, rowExtent() - row);
  }
}
