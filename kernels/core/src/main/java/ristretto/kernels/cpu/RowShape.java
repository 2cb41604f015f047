package ristretto.kernels.cpu;

/**
 * How a row kernel walks its space. A kept tile is a group of rows worked on together; each of its
 * stages goes over the reduced tiles in order; a chunk is a fixed number of them. None of it
 * depends on the number of threads but the choice whether chunks run in parallel, so that results
 * never do.
 *
 * @param form which dimensions the tiles of a strip lie in
 * @param width rows of a kept tile
 * @param rows of a reduced tile: of the second reduced dimension (JOINED), of the innermost
 *     (COLUMNS), else 1
 * @param cols of a reduced tile: of the innermost reduced dimension, 1 for COLUMNS
 * @param chunkTiles reduced tiles of a chunk
 * @param rowDim of a strip's tile
 * @param colDim of a strip's tile
 * @param flat a strip's tile is one row
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
  /** Where the lanes of the accumulators lie. */
  enum Form {
    /** Along short rows, several rows a strip call. */
    ROWS,
    /** Along one long row, several blocks of it a strip call. */
    BLOCKS,
    /** Along the innermost of several reduced dimensions. */
    JOINED,
    /** Across rows: column j of a strip is row j. */
    COLUMNS
  }

  /** Elements that strips accumulate before their lanes are folded. */
  static final int BLOCK = 4096;

  /** As {@link #BLOCK}, where operands need no areas of a block's size: folding takes its time. */
  private static final int LONG_BLOCK = 8 * BLOCK;

  /** Rows accumulated, a lane each, before they are folded. */
  static final int BLOCK_ROWS = 256;

  /** Blocks of a chunk. */
  static final int CHUNK_BLOCKS = 16;

  /** As {@link #CHUNK_BLOCKS}, across rows: a block is many elements. */
  private static final int COLUMNS_CHUNK_BLOCKS = 4;

  private static final int L1_BYTES = 16 << 10;
  private static final int MOST_ROWS = 64;
  private static final long SHORT_LINE = 48;
  private static final long MOST_COLUMNS = 2048;

  /** Rows up to this length are rather worked on across, if there are many. */
  private static final long SHORT_ROW = 64;

  private static final long KEPT_BYTES = 256 << 10;

  static RowShape of(RowOperands operands, boolean inOrder, int keptBytes) {
    Geometry g = operands.geometry;
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
    // Kept values are counted from the start of a chunk.
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

  /** Elements of a block of a BLOCKS row. */
  int block() {
    return cols > BLOCK ? LONG_BLOCK : BLOCK;
  }

  boolean columns() {
    return form == Form.COLUMNS;
  }

  /** Values of rows of {@code length} elements may be kept from stage to stage. */
  static boolean keeps(long length) {
    return length <= BLOCK;
  }
}
