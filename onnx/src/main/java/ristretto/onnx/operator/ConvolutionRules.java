package ristretto.onnx.operator;

import java.util.Arrays;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.onnx.call.NodeCall;

/** Convolutions. */
final class ConvolutionRules {
  private ConvolutionRules() {}

  static void addTo(Rules rules) {
    rules.one("Conv", n -> biased(n, convolution(n, n.in(0), n.in(1))));
    rules.one("ConvInteger", ConvolutionRules::ofIntegers);
    rules.one("ConvTranspose", ConvolutionRules::transposed);
  }

  private static Expr<Object> biased(NodeCall n, Expr<Object> y) {
    if (!n.has(2)) {
      return y;
    }
    long[] dims = new long[n.rank(0) - 1];
    Arrays.fill(dims, 1);
    dims[0] = n.in(2).shape().size();
    return y.plus(n.in(2).reshape(dims));
  }

  private static long[] kernel(NodeCall n) {
    long[] given = n.integers("kernel_shape");
    return given == null ? Arrays.copyOfRange(n.shape(1).toArray(), 2, n.rank(1)) : given;
  }

  private static Expr<Object> convolution(NodeCall n, Expr<Object> x, Expr<Object> filters) {
    Windows w = Windows.of(n, kernel(n), false);
    long groups = n.integer("group", 1);
    if (w.symmetric() != null) {
      return Ops.convolution(x, filters, w.strides(), w.dilations(), w.symmetric(), groups);
    }
    Expr<Object> padded = w.pad(x, 0, 0);
    return Ops.convolution(padded, filters, w.strides(), w.dilations(), new long[w.axes()], groups);
  }

  private static Expr<?> ofIntegers(NodeCall n) {
    Expr<Object> x = NodeCall.erase(n.in(0).cast(Ops.I32));
    Expr<Object> filters = NodeCall.erase(n.in(1).cast(Ops.I32));
    if (n.has(2)) {
      x = x.minus(NodeCall.erase(n.in(2).cast(Ops.I32)));
    }
    if (n.has(3)) {
      Expr<Object> zero = NodeCall.erase(n.in(3).cast(Ops.I32));
      filters =
          filters.minus(zero.shape().size() == 1 ? zero.reshape() : zero.reshape(-1, 1, 1, 1));
    }
    // Products of 8-bit integers are exact in F64 for all sums that I32 holds.
    return convolution(n, NodeCall.erase(x.cast(Ops.F64)), NodeCall.erase(filters.cast(Ops.F64)))
        .cast(Ops.I32);
  }

  /** Convolution of the input with zeros between its elements and reversed filters. */
  private static Expr<Object> transposed(NodeCall n) {
    long[] kernel = kernel(n);
    int axes = kernel.length;
    long groups = n.integer("group", 1);
    long[] strides = n.integers("strides", axes, 1);
    long[] dilations = n.integers("dilations", axes, 1);
    long[] more = n.integers("output_padding", axes, 0);
    long[] pads = n.integers("pads", 2 * axes, 0);
    long[] wanted = n.integers("output_shape");
    String auto = n.text("auto_pad", "NOTSET");
    Expr<Object> x = n.in(0);
    for (int d = 0; d < axes; d++) {
      long size = x.shape().at(d + 2);
      long full = (size - 1) * strides[d] + dilations[d] * (kernel[d] - 1) + 1;
      long before = pads[d];
      long after = pads[axes + d];
      if (wanted != null || auto.startsWith("SAME")) {
        long out = wanted == null ? size * strides[d] : wanted[wanted.length - axes + d];
        long all = full + more[d] - out;
        long cut = Math.max(0, all);
        before = auto.equals("SAME_UPPER") ? cut / 2 : cut - cut / 2;
        after = all - before;
      }
      x = spread(x, d + 2, strides[d]);
      long reach = dilations[d] * (kernel[d] - 1);
      x = resized(x, d + 2, reach - before, reach - after + more[d]);
    }
    Shape f = n.shape(1);
    long[] dims = f.toArray();
    long[] grouped = new long[dims.length + 1];
    grouped[0] = groups;
    grouped[1] = dims[0] / groups;
    System.arraycopy(dims, 1, grouped, 2, dims.length - 1);
    int[] flipped = new int[axes];
    for (int d = 0; d < axes; d++) {
      flipped[d] = d + 3;
    }
    dims[0] = groups * dims[1];
    dims[1] = grouped[1];
    Expr<Object> filters = n.in(1).reshape(grouped).swapAxes(1, 2).flip(flipped).reshape(dims);
    long[] ones = new long[axes];
    Arrays.fill(ones, 1);
    return biased(n, Ops.convolution(x, filters, ones, dilations, new long[axes], groups));
  }

  /** Inserts zeros between the elements of an axis. */
  private static Expr<Object> spread(Expr<Object> x, int axis, long stride) {
    if (stride == 1) {
      return x;
    }
    Expr<Object> apart =
        ViewRules.padded(x.unsqueeze(axis + 1), NodeCall.number(x, 0), axis + 1, 0, stride - 1);
    long[] dims = x.shape().toArray();
    long size = dims[axis];
    dims[axis] = size * stride;
    return ViewRules.part(apart.reshape(dims), axis, 0, (size - 1) * stride + 1);
  }

  /** Adds zeros at both ends of an axis, or removes elements for numbers below 0. */
  private static Expr<Object> resized(Expr<Object> x, int axis, long before, long after) {
    long size = x.shape().at(axis);
    Expr<Object> kept = ViewRules.part(x, axis, Math.max(0, -before), size - Math.max(0, -after));
    return ViewRules.padded(
        kept, NodeCall.number(x, 0), axis, Math.max(0, before), Math.max(0, after));
  }
}
