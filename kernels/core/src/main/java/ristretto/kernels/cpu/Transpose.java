package ristretto.kernels.cpu;

/** Transposed copies of any extents: squares by vectors, the edges by elements. */
final class Transpose {
  private Transpose() {}

  /** Returns true if the extents contain a square and its vector code is compiled. */
  static boolean worthwhile(Move move, int rows, int cols) {
    return Math.min(rows, cols) >= move.lanes && move.ready((long) rows * cols);
  }

  /** Copies element c of line r to element r of line c, for elements of 4 bytes. */
  static void copy4(long from, long fromStep, int lines, int length, long to, long toStep) {
    int lanes = Move.TRANSPOSE_4.lanes;
    long work = ThreadContext.current().square();
    int wholeLines = lines - lines % lanes;
    int wholeLength = length - length % lanes;
    for (int r = 0; r < wholeLines; r += lanes) {
      for (int c = 0; c < wholeLength; c += lanes) {
        VectorMoves.transpose4(
            from + r * fromStep + 4L * c, fromStep, to + c * toStep + 4L * r, toStep, work);
      }
    }
    for (int r = 0; r < lines; r++) {
      for (int c = r < wholeLines ? wholeLength : 0; c < length; c++) {
        Raw.putInt(to + c * toStep + 4L * r, Raw.getInt(from + r * fromStep + 4L * c));
      }
    }
  }

  /** Copies element c of line r to element r of line c, for elements of 8 bytes. */
  static void copy8(long from, long fromStep, int lines, int length, long to, long toStep) {
    int lanes = Move.TRANSPOSE_8.lanes;
    long work = ThreadContext.current().square();
    int wholeLines = lines - lines % lanes;
    int wholeLength = length - length % lanes;
    for (int r = 0; r < wholeLines; r += lanes) {
      for (int c = 0; c < wholeLength; c += lanes) {
        VectorMoves.transpose8(
            from + r * fromStep + 8L * c, fromStep, to + c * toStep + 8L * r, toStep, work);
      }
    }
    for (int r = 0; r < lines; r++) {
      for (int c = r < wholeLines ? wholeLength : 0; c < length; c++) {
        Raw.putLong(to + c * toStep + 8L * r, Raw.getLong(from + r * fromStep + 8L * c));
      }
    }
  }
}
