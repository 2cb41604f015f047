package ristretto.kernels.cpu.moves;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.ThreadContext;

/** Transposed copies of any extents: squares by vectors, the edges by elements. */
final class Transpose {
  private Transpose() {}

  /** Returns true if the extents contain a square and its vector code is compiled. */
  static boolean worthwhile(Move move, int rows, int cols) {
    return Math.min(rows, cols) >= move.lanes && move.ready((long) rows * cols);
  }

  /**
   * Copies element c of line r to element r of line c.
   *
   * @param move the kind of copy: of elements of 4 or of 8 bytes
   */
  static void copy(
      Move move, long from, long fromStep, int lines, int length, long to, long toStep) {
    int lanes = move.lanes;
    long bytes = move.bytes;
    long work = ThreadContext.current().square();
    int wholeLines = lines - lines % lanes;
    int wholeLength = length - length % lanes;
    for (int r = 0; r < wholeLines; r += lanes) {
      for (int c = 0; c < wholeLength; c += lanes) {
        long p = from + r * fromStep + bytes * c;
        long q = to + c * toStep + bytes * r;
        if (move == Move.TRANSPOSE_4) {
          VectorMoves.transpose4(p, fromStep, q, toStep, work);
        } else {
          VectorMoves.transpose8(p, fromStep, q, toStep, work);
        }
      }
    }
    for (int r = 0; r < lines; r++) {
      for (int c = r < wholeLines ? wholeLength : 0; c < length; c++) {
        long p = from + r * fromStep + bytes * c;
        long q = to + c * toStep + bytes * r;
        if (move == Move.TRANSPOSE_4) {
          RawMemory.putInt(q, RawMemory.getInt(p));
        } else {
          RawMemory.putLong(q, RawMemory.getLong(p));
        }
      }
    }
  }
}
