package ristretto.onnx.operator;

import java.util.Arrays;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.onnx.call.NodeCall;

/** Interpolation of images, one axis after the other. */
final class ResizeRules {
  private ResizeRules() {}

  static void addTo(Rules rules) {
    rules.moves("Resize", ResizeRules::resize);
    rules.moves("Upsample", ResizeRules::resize);
  }

  private static Expr<Object> resize(NodeCall n) {
    boolean old = n.version() < 11 || n.operator().equals("Upsample");
    int rank = n.rank(0);
    long[] chosen = n.integers("axes");
    int[] axes = chosen == null ? IntStream.range(0, rank).toArray() : n.axes(chosen, rank);
    double[] roi = !old && n.has(1) && n.shape(1).size() > 0 ? n.doubles(1) : null;
    int at = old ? 1 : 2;
    double[] scales = n.has(at) && n.shape(at).size() > 0 ? n.doubles(at) : null;
    long[] sizes = scales == null ? n.longs(3) : null;
    var how = new Interpolation(n, old);
    String policy = n.text("keep_aspect_ratio_policy", "stretch");
    double[] factors = new double[axes.length];
    long[] outs = new long[axes.length];
    for (int k = 0; k < axes.length; k++) {
      long size = n.shape(0).at(axes[k]);
      factors[k] = scales == null ? sizes[k] / (double) size : scales[k];
      outs[k] = scales == null ? sizes[k] : (long) (scales[k] * size);
    }
    if (sizes != null && !policy.equals("stretch")) {
      var all = Arrays.stream(factors);
      double one = (policy.equals("not_larger") ? all.min() : all.max()).orElse(1);
      for (int k = 0; k < axes.length; k++) {
        factors[k] = one;
        outs[k] = (long) (one * n.shape(0).at(axes[k]) + 0.5);
      }
    }
    Expr<Object> y = n.in(0);
    Expr<BOOL> inside = null;
    for (int k = 0; k < axes.length; k++) {
      double low = roi == null ? 0 : roi[k];
      double high = roi == null ? 1 : roi[axes.length + k];
      long size = y.shape().at(axes[k]);
      if (outs[k] != size || factors[k] != 1 || how.crops()) {
        double[] places = how.places(size, outs[k], factors[k], low, high);
        y = how.along(n, y, axes[k], places, factors[k]);
        if (how.crops()) {
          Expr<BOOL> here = within(n, places, size, axes[k], rank);
          inside = inside == null ? here : inside.and(here);
        }
      }
    }
    return inside == null ? y : Ops.where(inside, y, n.number("extrapolation_value", 0));
  }

  private static Expr<BOOL> within(NodeCall n, double[] places, long size, int axis, int rank) {
    boolean[] all = new boolean[places.length];
    for (int k = 0; k < all.length; k++) {
      all[k] = places[k] >= 0 && places[k] <= size - 1;
    }
    long[] dims = new long[rank];
    Arrays.fill(dims, 1);
    dims[axis] = all.length;
    return n.context().tensor(all, dims);
  }

  /** Interpolation along an axis, by the attributes of the operator. */
  private static final class Interpolation {
    private final String mode;
    private final String coordinates;
    private final String nearest;
    private final double a;
    private final boolean excludes;
    private final boolean smooths;

    Interpolation(NodeCall n, boolean old) {
      mode = n.text("mode", "nearest");
      coordinates = n.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
      nearest = n.text("nearest_mode", old ? "floor" : "round_prefer_floor");
      a = n.number("cubic_coeff_a", -0.75);
      excludes = n.flag("exclude_outside", false);
      smooths = n.flag("antialias", false);
      n.ignore("extrapolation_value");
    }

    boolean crops() {
      return coordinates.equals("tf_crop_and_resize");
    }

    /** Returns the position in the input of each output. */
    double[] places(long size, long out, double factor, double low, double high) {
      double width = factor * size;
      double[] all = new double[Math.toIntExact(out)];
      for (int k = 0; k < all.length; k++) {
        double half = (k + 0.5) / factor - 0.5;
        all[k] =
            switch (coordinates) {
              case "align_corners" -> width == 1 ? 0 : k * (size - 1) / (width - 1);
              case "asymmetric" -> k / factor;
              case "pytorch_half_pixel" -> width == 1 ? -0.5 : half;
              case "half_pixel_symmetric" -> size / 2.0 * (1 - out / width) + half;
              case "tf_crop_and_resize" ->
                  low * (size - 1)
                      + (width == 1
                          ? (high - low) * (size - 1) / 2
                          : k * (high - low) * (size - 1) / (width - 1));
              default -> half;
            };
      }
      return all;
    }

    /** Returns an expression interpolated along an axis. */
    Expr<Object> along(NodeCall n, Expr<Object> x, int axis, double[] places, double factor) {
      long size = x.shape().at(axis);
      if (mode.equals("nearest")) {
        long[] at = new long[places.length];
        for (int k = 0; k < at.length; k++) {
          at[k] = Math.clamp(closest(places[k]), 0, size - 1);
        }
        return Ops.take(x, n.constant(at, at.length), axis);
      }
      double[] weights = new double[Math.toIntExact(size) * places.length];
      for (int k = 0; k < places.length; k++) {
        weigh(places[k], factor, weights, k, places.length, size);
      }
      Expr<Object> w = n.constant(x, weights, size, places.length);
      int last = x.shape().rank() - 1;
      return Ops.matmul(x.swapAxes(axis, last), w).swapAxes(axis, last);
    }

    private long closest(double place) {
      return (long)
          switch (nearest) {
            case "floor" -> Math.floor(place);
            case "ceil" -> Math.ceil(place);
            case "round_prefer_ceil" -> Math.floor(place + 0.5);
            default -> Math.ceil(place - 0.5);
          };
    }

    /** Adds the weights of the inputs around a position to a column; the edges are repeated. */
    private void weigh(
        double place, double factor, double[] weights, int column, int columns, long size) {
      boolean cubic = mode.equals("cubic");
      double scale = smooths ? Math.min(factor, 1) : 1;
      int reach = 1 - ((int) Math.floor((cubic ? -2 : -1) / scale) + 1);
      long first = (long) Math.ceil(place) - 1;
      double[] some = new double[2 * reach + 2];
      double sum = 0;
      for (int k = 0; k < some.length; k++) {
        long at = first - reach + k;
        double distance = Math.abs(at - place) * scale;
        boolean counts = !excludes || at >= 0 && at < size;
        some[k] = !counts ? 0 : cubic ? cubic(distance) : Math.max(0, 1 - distance);
        sum += some[k];
      }
      for (int k = 0; k < some.length; k++) {
        long at = Math.clamp(first - reach + k, 0, size - 1);
        weights[Math.toIntExact(at) * columns + column] += some[k] / sum;
      }
    }

    /** Convolution kernel of Keys (1981). */
    private double cubic(double d) {
      if (d <= 1) {
        return ((a + 2) * d - (a + 3)) * d * d + 1;
      }
      return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
    }
  }
}
