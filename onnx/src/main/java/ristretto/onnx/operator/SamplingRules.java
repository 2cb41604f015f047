package ristretto.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.onnx.call.NodeCall;

/** Samples of images at positions that are computed. */
final class SamplingRules {
  private SamplingRules() {}

  static void addTo(Rules rules) {
    rules.moves("GridSample", SamplingRules::sample);
    rules.one("AffineGrid", SamplingRules::affineGrid);
  }

  /** Grid of {@code theta[n, r, r + 1]} for images {@code [n, c, ...]}: {@code [n, ..., r]}. */
  private static Expr<?> affineGrid(NodeCall n) {
    boolean corners = n.flag("align_corners", false);
    long[] size = n.longs(1);
    Expr<Object> theta = n.in(0);
    int r = size.length - 2;
    if (r < 1 || !theta.shape().equals(Shape.of(size[0], r, r + 1))) {
      throw n.refuse(
          "matrices must be [n, r, r + 1] for images of r axes",
          n.value(0).label() + " for size " + Arrays.toString(size),
          "Give a matrix of that shape for each image");
    }
    Shape out = Shape.of(Arrays.copyOfRange(size, 2, size.length));
    var columns = new ArrayList<Expr<Object>>();
    for (int k = 0; k < r; k++) {
      // Coordinates are listed from the last axis to the first.
      int axis = r - 1 - k;
      long d = out.at(axis);
      Expr<Object> at = NodeCall.erase(Ops.coordinate(out, axis).cast(theta.dtype()));
      Expr<Object> place =
          corners
              ? d == 1 ? at.times(0.0) : at.times(2.0 / (d - 1)).minus(1.0)
              : at.times(2.0 / d).plus(1.0 / d - 1);
      columns.add(place.reshape(-1, 1));
    }
    columns.add(columns.get(0).times(0.0).plus(1.0));
    long[] dims = new long[r + 2];
    dims[0] = size[0];
    System.arraycopy(size, 2, dims, 1, r);
    dims[r + 1] = r;
    return Ops.matmul(ViewRules.concat(1, columns), theta.permute(0, 2, 1)).reshape(dims);
  }

  private static Expr<Object> sample(NodeCall n) {
    Expr<Object> x = n.in(0);
    Expr<Object> grid = n.in(1);
    int r = x.shape().rank() - 2;
    if (r < 1
        || grid.shape().rank() != r + 2
        || grid.shape().at(r + 1) != r
        || grid.shape().at(0) != x.shape().at(0)) {
      throw n.refuse(
          "a grid must have a position for each axis of the images, [n, ..., axes]",
          "%s and %s".formatted(n.value(0).label(), n.value(1).label()),
          "Give a grid with as many images and axes");
    }
    var how = new Sampling(n, x, grid);
    long[] out = new long[r + 2];
    out[0] = x.shape().at(0);
    out[1] = x.shape().at(1);
    System.arraycopy(grid.shape().toArray(), 1, out, 2, r);
    // [n * points, c] to [n, c, points...]
    Expr<Object> y = how.all().reshape(out[0], -1, out[1]).permute(0, 2, 1);
    return y.reshape(out);
  }

  /** Interpolation of {@code x[n, c, ...]} at the positions of a grid. */
  private static final class Sampling {
    private final NodeCall n;
    private final String mode;
    private final String padding;
    private final boolean corners;
    private final Shape shape;
    private final Expr<Object> grid;
    private final int axes;

    /** Pixels as rows, {@code [n * pixels, c]}. */
    private final Expr<Object> rows;

    Sampling(NodeCall n, Expr<Object> x, Expr<Object> grid) {
      this.n = n;
      this.grid = grid;
      shape = x.shape();
      axes = shape.rank() - 2;
      // Operator sets before 20 have other names.
      mode = n.text("mode", "linear").replace("bilinear", "linear").replace("bicubic", "cubic");
      padding = n.text("padding_mode", "zeros");
      corners = n.flag("align_corners", false);
      requireOneOf("mode", mode, "linear", "nearest", "cubic");
      requireOneOf("padding_mode", padding, "zeros", "border", "reflection");
      rows = x.reshape(shape.at(0), shape.at(1), -1).permute(0, 2, 1).reshape(-1, shape.at(1));
    }

    private void requireOneOf(String attribute, String given, String... allowed) {
      if (!List.of(allowed).contains(given)) {
        throw n.refuse(
            "attribute %s must be one of %s".formatted(attribute, List.of(allowed)),
            "'" + given + "'",
            "Export the model with one of these");
      }
    }

    /** Returns the samples, {@code [n * points, c]}. */
    Expr<Object> all() {
      var positions = new ArrayList<Expr<Object>>();
      for (int d = 0; d < axes; d++) {
        int last = axes + 1;
        int k = axes - 1 - d;
        positions.add(pixel(ViewRules.part(grid, last, k, k + 1).reshape(-1), d));
      }
      Expr<Object> batch = NodeCall.erase(Ops.coordinate(grid.shape(), 0));
      Expr<Object> image = ViewRules.part(batch, axes + 1, 0, 1).reshape(-1);
      return sum(positions, 0, image, null);
    }

    private long size(int d) {
      return shape.at(d + 2);
    }

    /** Position in pixels, reduced to the image for borders. */
    private Expr<Object> pixel(Expr<Object> g, int d) {
      long size = size(d);
      Expr<Object> p =
          corners ? g.plus(1.0).times((size - 1) / 2.0) : g.plus(1.0).times(size / 2.0).minus(0.5);
      return mode.equals("cubic") ? p : inside(mode.equals("nearest") ? Ops.rint(p) : p, d);
    }

    /** Moves positions outside of the image to its border, or reflects them. */
    private Expr<Object> inside(Expr<Object> p, int d) {
      long size = size(d);
      if (padding.equals("border")) {
        return Ops.clamp(p, 0, size - 1);
      }
      if (padding.equals("zeros")) {
        return p;
      }
      double low = corners ? 0 : -0.5;
      double span = corners ? size - 1 : size;
      if (span == 0) {
        return p.times(0.0);
      }
      Expr<Object> far = Ops.abs(p.minus(low));
      Expr<Object> turn = far.minus(Ops.floor(far.div(2 * span)).times(2 * span));
      Expr<Object> back = Ops.where(turn.gt(span), NodeCall.number(p, 2 * span).minus(turn), turn);
      return Ops.clamp(back.plus(low), 0, size - 1);
    }

    /** Weighted sum over the neighbours along the axes from one on. */
    private Expr<Object> sum(
        List<Expr<Object>> positions, int d, Expr<Object> number, Expr<Object> weight) {
      if (d == axes) {
        Expr<Object> taken = Ops.take(rows, number, 0);
        if (weight == null) {
          return taken;
        }
        Expr<Object> w = weight.unsqueeze(1);
        // A neighbour of weight 0 does not count, not even if it is infinite.
        return Ops.where(w.eq(0.0), NodeCall.number(taken, 0), taken.times(w.cast(taken.dtype())));
      }
      Expr<Object> p = positions.get(d);
      Expr<Object> low = mode.equals("nearest") ? p : Ops.floor(p);
      Expr<Object> t = p.minus(low);
      Expr<Object> all = null;
      int first = mode.equals("cubic") ? -1 : 0;
      int last = mode.equals("cubic") ? 2 : mode.equals("linear") ? 1 : 0;
      for (int k = first; k <= last; k++) {
        Expr<Object> at = low.plus((double) k);
        if (mode.equals("cubic")) {
          at = Ops.rint(inside(at, d));
        }
        Expr<Object> own = share(t, k);
        Expr<Object> within = at.ge(0.0).and(at.le((double) (size(d) - 1))).cast(p.dtype());
        own = own == null ? within : own.times(within);
        Expr<Object> index = NodeCall.erase(Ops.clamp(at, 0, size(d) - 1).cast(Ops.I64));
        Expr<Object> part =
            sum(
                positions,
                d + 1,
                number.times(size(d)).plus(index),
                weight == null ? own : weight.times(own));
        all = all == null ? part : all.plus(part);
      }
      return all;
    }

    /** Weight of a neighbour at distance k from the one below; null for 1. */
    private Expr<Object> share(Expr<Object> t, int k) {
      return switch (mode) {
        case "nearest" -> null;
        case "linear" -> k == 0 ? NodeCall.number(t, 1).minus(t) : t;
        default -> cubic(Ops.abs(t.minus((double) k)), k == 0 || k == 1);
      };
    }

    /** Cubic convolution with a = -0.75 (Keys 1981) at a distance below 1, or from 1 to 2. */
    private static Expr<Object> cubic(Expr<Object> s, boolean near) {
      double a = -0.75;
      return near
          ? s.times(a + 2).minus(a + 3).times(s).times(s).plus(1.0)
          : s.times(a).minus(5 * a).times(s).plus(8 * a).times(s).minus(4 * a);
    }
  }
}
