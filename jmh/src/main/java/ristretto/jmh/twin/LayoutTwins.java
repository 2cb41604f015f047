package ristretto.jmh.twin;

import static ristretto.jmh.twin.Raw.LANES;
import static ristretto.jmh.twin.Raw.S;
import static ristretto.jmh.twin.Raw.load;
import static ristretto.jmh.twin.Raw.store;

import jdk.incubator.vector.VectorShuffle;

/** Hand-written transposed and strided copies, blocked for the caches. */
final class LayoutTwins {
  private static final int BLOCK = 32;
  private static final VectorShuffle<Float> EVEN = VectorShuffle.makeUnzip(S, 0);

  private LayoutTwins() {}

  /** Computes rows {@code [from, to)} of the transpose y[cols, rows] of x[rows, cols]. */
  static void transpose(long x, long y, long rows, long cols, long from, long to) {
    for (long c = from; c < to; c += BLOCK) {
      int width = (int) Math.min(BLOCK, to - c);
      for (long r = 0; r < rows; r += BLOCK) {
        block(
            x + 4 * (r * cols + c),
            y + 4 * (c * rows + r),
            rows,
            cols,
            width,
            (int) Math.min(BLOCK, rows - r));
      }
    }
  }

  private static void block(long x, long y, long rows, long cols, int width, int height) {
    for (int c = 0; c < width; c++) {
      long target = y + 4L * c * rows;
      for (int r = 0; r < height; r++) {
        Raw.set(target + 4L * r, Raw.get(x + 4 * (r * cols + c)));
      }
    }
  }

  /** Copies every second of {@code 2 n} floats; n must be a multiple of the lanes. */
  static void evens(long x, long y, int n) {
    for (int j = 0; j < n; j += LANES) {
      var low = load(x + 8L * j);
      var high = load(x + 8L * j + 4L * LANES);
      store(low.rearrange(EVEN, high), y + 4L * j);
    }
  }
}
