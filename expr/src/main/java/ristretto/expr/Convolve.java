package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Kernel.Convolution.Windows;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Convolution or one of its two transposes (gradients), by a library of the device, or else as a
 * product with windows or the gradient of that product. Two of images, filters and results are
 * inputs, in this order.
 */
final class Convolve<T> extends LExpr<T> {
  private record Key(Made made, Windows windows, Longs images, Longs filters, Longs results) {}

  private final Key key;

  private Convolve(Key key, Expr<T> first, Expr<T> second) {
    super(
        first.dtype(),
        switch (key.made) {
          case RESULTS -> Shape.of(key.results.toArray());
          case IMAGES -> Shape.of(key.images.toArray());
          case FILTERS -> Shape.of(key.filters.toArray());
        },
        first,
        second);
    this.key = key;
  }

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
        "strides, dilations and padding must have a number for each of the last axes",
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
    long[] x = images.shape().toArray();
    long[] w = filters.shape().toArray();
    require(
        groups > 0 && x[1] == w[1] * groups && w[0] % groups == 0,
        "filters must have the images' channels divided by the groups, which divide their number",
        images.label() + ", " + filters.label() + " and " + groups + " groups",
        "correct the shapes");
    long[] y = new long[x.length];
    y[0] = x[0];
    y[1] = w[0];
    for (int d = 2; d < y.length; d++) {
      long room = x[d] + 2 * padding[d - 2] - dilations[d - 2] * (w[d] - 1) - 1;
      require(
          room >= 0 && w[d] > 0,
          "a window must fit into an image with its padding",
          images.label() + " and " + filters.label(),
          "add padding, or take smaller filters");
      y[d] = room / strides[d - 2] + 1;
    }
    var windows = new Windows(Longs.of(strides), Longs.of(dilations), Longs.of(padding), groups);
    var key = new Key(Made.RESULTS, windows, Longs.of(x), Longs.of(w), Longs.of(y));
    return new Convolve<>(key, images, filters);
  }

  private static void require(boolean holds, String rule, String got, String remedy) {
    if (!holds) {
      throw new ShapeException("[convolution] " + rule + "; got " + got + "; " + remedy + ".");
    }
  }

  private Convolve<T> other(Made made, Expr<?> first, Expr<?> second) {
    @SuppressWarnings("unchecked")
    var result =
        new Convolve<>(
            new Key(made, key.windows, key.images, key.filters, key.results),
            (Expr<T>) first,
            (Expr<T>) second);
    return result;
  }

  @Override
  protected Object key() {
    return key;
  }

  /** Returns true if a library of the context's device computes this convolution. */
  boolean isTaken(Context context) {
    var none = new Operand.Memory(dtype().scalar(), 0, new Affine(0, Longs.of()));
    return shape().size() > 0
        && inputs().stream().allMatch(e -> e.shape().size() > 0)
        && context.takes(kernel(none, none, none));
  }

  @Override
  protected void prepare(Assignment assignment) {
    if (isTaken(assignment.plan().context())) {
      assignment.requireContiguous(inputs().get(0));
      assignment.requireContiguous(inputs().get(1));
    }
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    PlanBuilder plan = assignment.plan();
    if (!isTaken(plan.context())) {
      assignment.assign(target, product());
      return;
    }
    var to = (Tensor<T>) target;
    if (!to.layout().isContiguous()) {
      Tensor<T> temp = assignment.temporary(dtype(), shape());
      plan.note(
          plan.name(plan.number(temp.storage()))
              + " "
              + temp.label()
              + " holds convolution: "
              + Reason.TARGET_LAYOUT);
      execute(assignment, temp);
      assignment.assign(target, temp);
      return;
    }
    Tensor<?> first = assignment.contiguous(inputs().get(0));
    Tensor<?> second = assignment.contiguous(inputs().get(1));
    Kernel.Convolution kernel =
        switch (key.made) {
          case RESULTS ->
              kernel(
                  memory(plan, first, key.images),
                  memory(plan, second, key.filters),
                  memory(plan, to, key.results));
          case IMAGES ->
              kernel(
                  memory(plan, to, key.images),
                  memory(plan, first, key.filters),
                  memory(plan, second, key.results));
          case FILTERS ->
              kernel(
                  memory(plan, first, key.images),
                  memory(plan, to, key.filters),
                  memory(plan, second, key.results));
        };
    plan.add(kernel, plan.name(kernel.target().buffer()) + " " + to.label() + " = " + this);
  }

  private static Operand.Memory memory(PlanBuilder plan, Tensor<?> t, Longs dims) {
    IndexMap map = new ViewOp.Reshape(dims).apply(t.layout().map());
    return new Operand.Memory(
        t.dtype().scalar(), plan.number(t.storage()), map.affine(), Optional.empty(), List.of());
  }

  private Kernel.Convolution kernel(
      Operand.Memory image, Operand.Memory filter, Operand.Memory result) {
    String what =
        switch (key.made) {
          case RESULTS -> "";
          case IMAGES -> "_images";
          case FILTERS -> "_filters";
        };
    return new Kernel.Convolution(
        "conv"
            + what
            + "_"
            + dtype()
            + "_"
            + Long.toHexString(key.toString().hashCode() & 0xffffffffL),
        dtype().scalar(),
        key.made,
        key.windows,
        key.images,
        key.filters,
        key.results,
        image,
        filter,
        result);
  }

  /** Rewrites this convolution as a product with windows. */
  @SuppressWarnings("unchecked")
  private Expr<T> product() {
    var first = (Expr<T>) inputs().get(0);
    var second = (Expr<T>) inputs().get(1);
    if (key.made == Made.RESULTS) {
      return results(first, second);
    }
    // The product is linear in the operand to differentiate by, so that any values of the operand
    // do.
    boolean images = key.made == Made.IMAGES;
    long[] dims = (images ? key.images : key.filters).toArray();
    Expr<T> any = Scalars.filled(dtype(), Shape.of(dims), 0);
    Expr<T> y = images ? results(any, first) : results(first, any);
    return (Expr<T>) Gradients.partial(y, second, List.of(any)).get(0);
  }

  private Expr<T> results(Expr<T> images, Expr<T> filters) {
    int axes = images.shape().rank() - 2;
    long[] around = new long[2 * (axes + 2)];
    for (int d = 0; d < axes; d++) {
      around[2 * (d + 2)] = key.windows.padding().get(d);
      around[2 * (d + 2) + 1] = key.windows.padding().get(d);
    }
    long[] sizes = Arrays.copyOfRange(key.filters.toArray(), 2, axes + 2);
    Expr<T> windows =
        Ops.windows(
            Ops.padWith(images, 0, around),
            sizes,
            key.windows.strides().toArray(),
            key.windows.dilations().toArray());
    // Right operand of the product with filters: [n, groups, channels, window, output positions].
    int[] order = new int[2 + 2 * axes];
    order[1] = 1;
    long places = 1;
    for (int d = 0; d < axes; d++) {
      order[2 + d] = 2 + axes + d;
      order[2 + axes + d] = 2 + d;
      places *= key.results.get(2 + d);
    }
    long groups = key.windows.groups();
    long[] w = key.filters.toArray();
    long column = key.filters.product() / Math.max(1, w[0]);
    Expr<T> columns = windows.permute(order).reshape(key.images.get(0), groups, column, places);
    Expr<T> rows = filters.reshape(groups, w[0] / groups, column);
    return Ops.dot(rows, columns).reshape(key.results.toArray());
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> d) {
    Expr<?> first = inputs().get(0);
    Expr<?> second = inputs().get(1);
    return switch (key.made) {
      case RESULTS -> List.of(other(Made.IMAGES, second, d), other(Made.FILTERS, first, d));
      case IMAGES -> List.of(other(Made.FILTERS, d, second), other(Made.RESULTS, d, first));
      case FILTERS -> List.of(other(Made.IMAGES, d, second), other(Made.RESULTS, first, d));
    };
  }

  @Override
  public String toString() {
    return switch (key.made) {
      case RESULTS -> "convolution";
      case IMAGES -> "convolution's images";
      case FILTERS -> "convolution's filters";
    };
  }
}
