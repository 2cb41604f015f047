package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Barrier.Convolve;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.Views;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Kernel.Convolution.Windows;
import ristretto.kernels.ir.Longs;

/** Creates convolutions and their gradients, and rewrites them as products with windows. */
final class Convolutions {
  private static final UnaryOperator<Term> PRODUCT = Convolutions::product;

  private Convolutions() {}

  static <T> Expr<T> of(
      Expr<T> images,
      Expr<T> filters,
      long[] strides,
      long[] dilations,
      long[] padding,
      long groups) {
    int axes = images.shape().rank() - 2;
    require(
        axes > 0
            && filters.shape().rank() == axes + 2
            && images.dtype() == filters.dtype()
            && (images.dtype() == F32.INSTANCE || images.dtype() == F64.INSTANCE),
        "images [n, channels, extents...] and filters [filters, channels / groups, extents...] must"
            + " be F32 or F64",
        images.label() + " and " + filters.label(),
        "reshape or cast them");
    require(
        strides.length == axes && dilations.length == axes && padding.length == axes,
        "strides, dilations and padding must have one number per spatial axis",
        Arrays.toString(strides)
            + ", "
            + Arrays.toString(dilations)
            + ", "
            + Arrays.toString(padding)
            + " for "
            + images.label(),
        "give " + axes);
    require(
        Arrays.stream(strides).allMatch(s -> s > 0)
            && Arrays.stream(dilations).allMatch(s -> s > 0)
            && Arrays.stream(padding).allMatch(s -> s >= 0),
        "strides and dilations must be positive, and padding not negative",
        Arrays.toString(strides)
            + ", "
            + Arrays.toString(dilations)
            + ", "
            + Arrays.toString(padding),
        "correct them");
    long[] x = images.shape().extents();
    long[] w = filters.shape().extents();
    require(
        groups > 0
            && UnknownDims.canEqual(x[1], UnknownDims.times(w[1], groups))
            && w[0] % groups == 0,
        "the groups must divide the channels and the number of filters, and filters must have"
            + " channels / groups channels",
        images.label() + ", " + filters.label() + " and " + groups + " groups",
        "correct the shapes");
    long[] y = new long[x.length];
    y[0] = x[0];
    y[1] = w[0];
    for (int d = 2; d < y.length; d++) {
      long around = 2 * padding[d - 2] - dilations[d - 2] * (w[d] - 1) - 1;
      long room = UnknownDims.plus(x[d], around);
      require(
          (room >= 0 || !UnknownDims.isKnown(room)) && w[d] > 0,
          "the dilated filter must fit into the padded image",
          images.label() + " and " + filters.label(),
          "add padding, or take smaller filters");
      y[d] = UnknownDims.plus(UnknownDims.floor(room, strides[d - 2]), 1);
    }
    var windows = new Windows(Longs.of(strides), Longs.of(dilations), Longs.of(padding), groups);
    var key = new Convolve.Key(Made.RESULTS, windows, Longs.of(x), Longs.of(w), Longs.of(y));
    return convolve(key, images, filters);
  }

  private static void require(boolean holds, String rule, String got, String remedy) {
    if (!holds) {
      throw new ShapeException("[convolution] " + rule + "; got " + got + "; " + remedy + ".");
    }
  }

  private static <T> Expr<T> convolve(Convolve.Key key, Expr<T> first, Expr<?> second) {
    Longs dims =
        switch (key.made()) {
          case RESULTS -> key.results();
          case IMAGES -> key.images();
          case FILTERS -> key.filters();
        };
    return new Computed<>(
        new Convolve(key, PRODUCT), first.dtype(), Shape.of(dims.toArray()), first, second);
  }

  private static <T> Expr<T> other(Convolve.Key key, Made made, Expr<T> first, Expr<?> second) {
    return convolve(
        new Convolve.Key(made, key.windows(), key.images(), key.filters(), key.results()),
        first,
        second);
  }

  private static Term product(Term convolution) {
    var key = ((Convolve) convolution.operation()).key();
    return product(key, (Expr<?>) convolution.operand(0), (Expr<?>) convolution.operand(1));
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> product(Convolve.Key key, Expr<T> first, Expr<?> other) {
    var second = (Expr<T>) other;
    if (key.made() == Made.RESULTS) {
      return results(key, first, second);
    }
    // The product is linear in the operand to differentiate by, so that any values of the operand
    // do.
    boolean images = key.made() == Made.IMAGES;
    long[] dims = (images ? key.images() : key.filters()).toArray();
    Expr<T> any = Scalars.filled(first.dtype(), Shape.of(dims), 0);
    Expr<T> y = images ? results(key, any, first) : results(key, first, any);
    return (Expr<T>) Gradients.partial(y, second, List.of(any)).get(0);
  }

  private static <T> Expr<T> results(Convolve.Key key, Expr<T> images, Expr<T> filters) {
    int axes = images.shape().rank() - 2;
    long[] around = new long[2 * (axes + 2)];
    for (int d = 0; d < axes; d++) {
      around[2 * (d + 2)] = key.windows().padding().get(d);
      around[2 * (d + 2) + 1] = key.windows().padding().get(d);
    }
    long[] sizes = Arrays.copyOfRange(key.filters().toArray(), 2, axes + 2);
    Expr<T> padded = ArrayManipulation.pad(images, images.number(0.0), around);
    Expr<T> windows =
        Expr.view(
            padded,
            Views.windows(
                padded.shape(),
                sizes,
                key.windows().strides().toArray(),
                key.windows().dilations().toArray()));
    // Right operand of the product with filters: [n, groups, channels, window, output positions].
    int[] order = new int[2 + 2 * axes];
    order[1] = 1;
    long places = 1;
    for (int d = 0; d < axes; d++) {
      order[2 + d] = 2 + axes + d;
      order[2 + axes + d] = 2 + d;
      places *= key.results().get(2 + d);
    }
    long groups = key.windows().groups();
    long[] w = key.filters().toArray();
    long column = key.filters().product() / Math.max(1, w[0]);
    Expr<T> columns = windows.permute(order).reshape(key.images().get(0), groups, column, places);
    Expr<T> rows = filters.reshape(groups, w[0] / groups, column);
    return MatrixProduct.dot(rows, columns).reshape(key.results().toArray());
  }

  /** Gradients of the operands, which are the transposes of a convolution. */
  static <T> List<Expr<?>> transposes(Expr<T> convolution, Convolve.Key key, Expr<T> d) {
    Expr<?> first = convolution.inputs().get(0);
    Expr<?> second = convolution.inputs().get(1);
    return switch (key.made()) {
      case RESULTS ->
          List.of(other(key, Made.IMAGES, second, d), other(key, Made.FILTERS, first, d));
      case IMAGES ->
          List.of(other(key, Made.FILTERS, d, second), other(key, Made.RESULTS, d, first));
      case FILTERS ->
          List.of(other(key, Made.IMAGES, d, second), other(key, Made.RESULTS, first, d));
    };
  }
}
