package ristretto.kernels.cpu.rows;

import ristretto.kernels.cpu.operands.IterationSpace;

/**
 * Loop structure of a row kernel. A kept tile is a group of rows processed together; each stage
 * passes over the reduced tiles in order; a chunk is a fixed number of them. The number of threads
 * decides only if chunks run in parallel, so that results do not depend on it.
 *
 * @param form dimensions of a strip's tile
 * @param width rows of a kept tile
 * @param rows rows of a reduced tile: of the second reduced dimension (JOINED), of the innermost
 *     one (COLUMNS), else 1
 * @param cols columns of a reduced tile, along the innermost reduced dimension; 1 for COLUMNS
 * @param chunkTiles reduced tiles of a chunk
 * @param rowDim row dimension of a strip's tile
 * @param colDim column dimension of a strip's tile
 * @param flat true if a strip's tile is one row
 * @param packedElements most elements of a tile with packed operands
 */
record RowShape(
    Form form,
    long width,
    long rows,
    long cols,
    long chunkTiles,
    int rowDim,
    int colDim,
    boolean flat,
    int packedElements) {
  /** Direction of the accumulator lanes. */
  enum Form {
    /** Along short rows, several rows per strip call. */
    ROWS,
    /** Along one long row, several blocks of it per strip call. */
    BLOCKS,
    /** Along the innermost of several reduced dimensions. */
    JOINED,
    /** Across rows: column j of a strip is row j. */
    COLUMNS
  }

  /** Elements that strips accumulate before their lanes are folded. */
  static final int BLOCK = 4096;

  /**
   * Larger {@link #BLOCK} for direct operands, which need no scratch of a block's size: fewer
   * folds.
   */
  private static final int LONG_BLOCK = 8 * BLOCK;

  /** Rows accumulated, one lane each, before they are folded. */
  static final int BLOCK_ROWS = 256;

  /** Number of blocks in a chunk. */
  static final int CHUNK_BLOCKS = 16;

  /** Number of blocks in a chunk of COLUMNS, where a block has more elements. */
  private static final int COLUMNS_CHUNK_BLOCKS = 4;

  private static final int L1_BYTES = 16 << 10;
  private static final int MOST_ROWS = 64;
  private static final long SHORT_LINE = 48;
  private static final long MOST_COLUMNS = 2048;

  /** Row length below which many rows are processed as COLUMNS. */
  private static final long SHORT_ROW = 64;

  private static final long KEPT_BYTES = 256 << 10;

  static RowShape of(RowOperands operands, boolean inOrder, int keptBytes) {
    IterationSpace g = operands.space;
    long length = g.product(g.kept, g.rank());
    boolean many = operands.keptExtent() >= 16;
    if (inOrder || many && (operands.keptIsFast() || length < SHORT_ROW)) {
      return columns(operands, length, keptBytes);
    }
    int inner = operands.reducedInner();
    if (operands.oneReduced() && length <= BLOCK) {
      boolean direct = operands.direct(operands.keptInner(), inner, false);
      long limit = direct ? L1_BYTES / (operands.bytesAnElement() + keptBytes) : BLOCK;
      long width = Math.max(1, Math.min(MOST_ROWS, limit / Math.max(1, length)));
      width =
          operands.gathersAlong(operands.keptInner()) ? 1 : Math.min(width, operands.keptExtent());
      return new RowShape(
          Form.ROWS, width, 1, Math.max(1, length), 1, operands.keptInner(), inner, false, BLOCK);
    }
    if (operands.oneReduced()) {
      boolean direct = operands.direct(inner, inner, false);
      long cols = direct ? (long) BLOCK * CHUNK_BLOCKS : BLOCK;
      return new RowShape(
          Form.BLOCKS, 1, 1, cols, direct ? 1 : CHUNK_BLOCKS, inner, inner, false, BLOCK);
    }
    long cols = Math.max(1, Math.min(BLOCK, operands.reducedExtent()));
    long rows = Math.max(1, Math.min(BLOCK / cols, g.extents[inner - 1]));
    boolean flat = cols < SHORT_LINE;
    // Kept values are addressed from the start of a chunk, so that one chunk covers the row.
    long chunk = keptBytes > 0 ? length : CHUNK_BLOCKS;
    return new RowShape(Form.JOINED, 1, rows, cols, chunk, inner - 1, inner, flat, BLOCK);
  }

  private static RowShape columns(RowOperands operands, long length, int keptBytes) {
    int rowDim = operands.reducedInner();
    int colDim = operands.keptInner();
    boolean direct = operands.direct(rowDim, colDim, false);
    long width =
        Math.min(operands.keptExtent(), direct ? MOST_COLUMNS : length < SHORT_ROW ? 256 : 64);
    if (keptBytes > 0 && length > 0) {
      width = Math.max(16, Math.min(width, KEPT_BYTES / (length * keptBytes)));
      width = Math.min(width, operands.keptExtent());
    }
    long rows = direct ? BLOCK_ROWS : Math.max(1, Math.min(BLOCK_ROWS, BLOCK / width));
    rows = Math.max(1, Math.min(rows, operands.reducedExtent()));
    long chunk = keptBytes > 0 ? length : COLUMNS_CHUNK_BLOCKS * BLOCK_ROWS / rows;
    return new RowShape(
        Form.COLUMNS,
        width,
        rows,
        1,
        Math.max(1, chunk),
        rowDim,
        colDim,
        false,
        (int) (rows * width));
  }

  /** Number of elements in a block of BLOCKS. */
  int block() {
    return cols > BLOCK ? LONG_BLOCK : BLOCK;
  }

  boolean columns() {
    return form == Form.COLUMNS;
  }

  /** Returns true if values of rows of {@code length} elements may be kept between stages. */
  static boolean keeps(long length) {
    return length <= BLOCK;
  }
}
