package ristretto.onnx.operator;

import java.util.Arrays;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;

/** Windows of convolutions and pools along the last axes of {@code x[n, c, ...]}. */
final class Windows {
  private final long[] kernel;
  private final long[] strides;
  private final long[] dilations;
  private final long[] before;
  private final long[] after;

  /** Padding after each axis that the last window needs beside that given. */
  private final long[] extra;

  private Windows(
      long[] kernel, long[] strides, long[] dilations, long[] before, long[] after, long[] extra) {
    this.kernel = kernel;
    this.strides = strides;
    this.dilations = dilations;
    this.before = before;
    this.after = after;
    this.extra = extra;
  }

  /** Reads the attributes that convolutions and pools share. */
  static Windows of(NodeCall n, long[] kernel, boolean ceil) {
    int axes = kernel.length;
    long[] strides = n.integers("strides", axes, 1);
    long[] dilations = n.integers("dilations", axes, 1);
    long[] pads = n.integers("pads", 2 * axes, 0);
    String auto = n.text("auto_pad", "NOTSET");
    long[] before = Arrays.copyOf(pads, axes);
    long[] after = Arrays.copyOfRange(pads, axes, 2 * axes);
    long[] extra = new long[axes];
    for (int d = 0; d < axes; d++) {
      long size = n.shape(0).at(d + 2);
      long out;
      long span = dilations[d] * (kernel[d] - 1) + 1;
      if (auto.startsWith("SAME")) {
        out = (size + strides[d] - 1) / strides[d];
        long all = Math.max(0, (out - 1) * strides[d] + span - size);
        before[d] = auto.equals("SAME_UPPER") ? all / 2 : all - all / 2;
        after[d] = all - before[d];
      } else {
        if (auto.equals("VALID")) {
          before[d] = 0;
          after[d] = 0;
        }
        long free = size + before[d] + after[d] - span;
        out = (ceil ? Math.ceilDiv(free, strides[d]) : Math.floorDiv(free, strides[d])) + 1;
        // The last window begins within the input or the padding before it.
        if (ceil && (out - 1) * strides[d] >= size + before[d]) {
          out--;
        }
        extra[d] = Math.max(0, (out - 1) * strides[d] + span - size - before[d] - after[d]);
      }
      if (out < 1) {
        throw n.refuse(
            "windows must fit into the padded input", n.value(0).label(), "Give a larger input");
      }
    }
    return new Windows(kernel, strides, dilations, before, after, extra);
  }

  /** Numbers of elements of a window. */
  long[] kernel() {
    return kernel;
  }

  /** Distances of windows. */
  long[] strides() {
    return strides;
  }

  /** Distances of the elements of a window. */
  long[] dilations() {
    return dilations;
  }

  /** Padding before each axis, if it is that after the axis too; or null. */
  long[] symmetric() {
    return Arrays.equals(before, after) ? before : null;
  }

  /** Number of axes. */
  int axes() {
    return kernel.length;
  }

  /** Pads an expression with a number, and with another where windows exceed the padding. */
  Expr<Object> pad(Expr<Object> x, double value, double beyond) {
    Expr<Object> padded = x;
    for (int d = 0; d < axes(); d++) {
      padded = ViewRules.padded(padded, NodeCall.number(x, value), d + 2, before[d], after[d]);
    }
    for (int d = 0; d < axes(); d++) {
      padded = ViewRules.padded(padded, NodeCall.number(x, beyond), d + 2, 0, extra[d]);
    }
    return padded;
  }

  /** Returns the windows of a padded expression, {@code [n, c, out..., kernel...]}. */
  Expr<Object> windows(Expr<Object> padded) {
    return Ops.windows(padded, kernel, strides, dilations);
  }

  /** Returns the axes of the elements of a window. */
  int[] elements() {
    int[] all = new int[axes()];
    for (int d = 0; d < all.length; d++) {
      all[d] = 2 + axes() + d;
    }
    return all;
  }
}
