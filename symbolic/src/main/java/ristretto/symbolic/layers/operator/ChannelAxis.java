package ristretto.symbolic.layers.operator;

import java.util.Arrays;
import ristretto.expr.Expr;

/** Helpers for the channel axis, the second axis of {@code [n, c, ...]}. */
public final class ChannelAxis {
  private ChannelAxis() {}

  /** Reshapes one value per channel, {@code [c]}, so that it broadcasts to {@code rank} axes. */
  public static <T> Expr<T> spread(Expr<T> each, int rank) {
    long[] dims = new long[rank - 1];
    Arrays.fill(dims, 1);
    dims[0] = each.shape().size();
    return each.reshape(dims);
  }

  /** Returns all axes except the channel axis. */
  public static int[] otherAxes(int rank) {
    int[] axes = new int[rank - 1];
    for (int d = 1; d < axes.length; d++) {
      axes[d] = d + 1;
    }
    return axes;
  }
}
