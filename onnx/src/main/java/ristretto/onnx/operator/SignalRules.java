package ristretto.onnx.operator;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;

/** Discrete Fourier transforms. */
final class SignalRules {
  /** Maximal length of a transform, whose matrices have the square of that many elements. */
  private static final long LONGEST = 4096;

  private SignalRules() {}

  static void addTo(Rules rules) {
    rules.moves("DFT", SignalRules::dft);
  }

  /** Transform of real or complex numbers {@code [..., 1 or 2]} as products with matrices. */
  private static Expr<Object> dft(NodeCall n) {
    boolean inverse = n.flag("inverse", false);
    boolean oneSided = n.flag("onesided", false);
    int rank = n.rank(0);
    // The axis is an attribute before operator set 20, and the second one by default.
    long wanted = n.version() < 20 ? n.integer("axis", 1) : n.scalar(2, -2);
    int axis = n.axis(wanted, rank);
    Expr<Object> x = n.in(0);
    long parts = x.shape().at(rank - 1);
    boolean toReal = oneSided && inverse;
    if (axis == rank - 1 || parts > 2 || parts < 1 || (oneSided && parts != (inverse ? 2 : 1))) {
      throw n.refuse(
          "the last axis must be of real numbers [..., 1] or complex ones [..., 2], one-sided"
              + " transforms from real and to real ones, and another axis be transformed",
          "%s, axis %s".formatted(n.value(0).label(), wanted),
          "Export the model again");
    }
    long given = x.shape().at(axis);
    long length = n.scalar(1, toReal ? 2 * (given - 1) : given);
    if (length < 1 || length > LONGEST) {
      throw n.refuse(
          "transforms must be of 1 to %s elements".formatted(LONGEST),
          Long.toString(length),
          "Split the signal into frames");
    }
    long kept = Math.min(given, toReal ? length / 2 + 1 : length);
    x = ViewRules.part(x, axis, 0, kept);
    long bins = oneSided && !inverse ? length / 2 + 1 : length;
    double[] cos = new double[Math.toIntExact(kept * bins)];
    double[] sin = new double[cos.length];
    for (int row = 0; row < kept; row++) {
      // Rows of a half spectrum stand for their conjugates too.
      boolean twice = toReal && row > 0 && 2L * row != length;
      double scale = (inverse ? 1.0 / length : 1) * (twice ? 2 : 1);
      for (int k = 0; k < bins; k++) {
        double angle = 2 * Math.PI * ((long) row * k % length) / length;
        int at = (int) (row * bins) + k;
        cos[at] = scale * Math.cos(angle);
        sin[at] = (inverse ? scale : -scale) * Math.sin(angle);
      }
    }
    Expr<Object> c = n.constant(x, cos, kept, bins);
    Expr<Object> s = n.constant(x, sin, kept, bins);
    Expr<Object> real = component(x, axis, 0);
    Expr<Object> re = Ops.matmul(real, c);
    Expr<Object> im = Ops.matmul(real, s);
    if (parts == 2) {
      Expr<Object> imaginary = component(x, axis, 1);
      re = re.minus(Ops.matmul(imaginary, s));
      im = im.plus(Ops.matmul(imaginary, c));
    }
    re = restored(re, axis, rank);
    return toReal
        ? re
        : ViewRules.concat(rank - 1, java.util.List.of(re, restored(im, axis, rank)));
  }

  /** Real or imaginary parts with the transformed axis last. */
  private static Expr<Object> component(Expr<Object> x, int axis, int part) {
    int rank = x.shape().rank();
    int[] order = new int[rank - 1];
    for (int d = 0, k = 0; d < rank - 1; d++) {
      if (d != axis) {
        order[k++] = d;
      }
    }
    order[rank - 2] = axis;
    return ViewRules.part(x, rank - 1, part, part + 1).squeeze(rank - 1).permute(order);
  }

  /** Inverse of {@link #component}. */
  private static Expr<Object> restored(Expr<Object> x, int axis, int rank) {
    int[] order = new int[rank - 1];
    for (int d = 0, k = 0; d < rank - 1; d++) {
      order[d] = d == axis ? rank - 2 : k++;
    }
    return x.permute(order).unsqueeze(rank - 1);
  }
}
