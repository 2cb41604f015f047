package ristretto.symbolic;

import java.util.Arrays;
import ristretto.expr.Expr;

/** The axis of channels, the second of {@code [n, c, ...]}. */
final class ChannelAxis {
  private ChannelAxis() {}

  /** A number for each channel, {@code [c]}, in a shape that broadcasts to {@code rank} axes. */
  static <T> Expr<T> spread(Expr<T> each, int rank) {
    long[] dims = new long[rank - 1];
    Arrays.fill(dims, 1);
    dims[0] = each.shape().size();
    return each.reshape(dims);
  }

  /** All axes but this one. */
  static int[] otherAxes(int rank) {
    int[] axes = new int[rank - 1];
    for (int d = 1; d < axes.length; d++) {
      axes[d] = d + 1;
    }
    return axes;
  }
}
