package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Variable;

/** Layers that change the resolution of images and sequences: upsampling, adaptive pooling. */
public abstract class ResizeLayers extends MathLayers {
  ResizeLayers() {}

  /**
   * Nearest-neighbour upsampling of the last axes by whole factors: repeats each element; {@code
   * v[n, c, h, w] -> [n, c, 2 h, 3 w]} for the factors 2 and 3.
   *
   * @param factors one for each of the last axes, at least 1
   */
  public static <T> Variable<T> upsample(Variable<T> v, long... factors) {
    requireLastAxes("upsample", "factor", v, factors);
    return unary(
        "upsample",
        v,
        a -> {
          Expr<T> y = a;
          for (int d = 0; d < factors.length; d++) {
            y = Ops.repeat(y, factors[d], d - factors.length + y.shape().rank());
          }
          return y;
        });
  }

  /**
   * Linear upsampling of the last axes by whole factors: bilinear for two factors; {@code v[n, c,
   * h, w] -> [n, c, 2 h, 3 w]} for the factors 2 and 3. Elements are the centres of equal cells,
   * and the border is continued, as in PyTorch with {@code align_corners=False}.
   *
   * @param factors one for each of the last axes, at least 1
   */
  public static <T> Variable<T> upsampleLinear(Variable<T> v, long... factors) {
    requireLastAxes("upsampleLinear", "factor", v, factors);
    return unary(
        "upsampleLinear",
        v,
        a -> {
          Expr<T> y = a;
          for (int d = 0; d < factors.length; d++) {
            y = interpolated(y, d - factors.length + y.shape().rank(), factors[d]);
          }
          return y;
        });
  }

  private static <T> Expr<T> interpolated(Expr<T> a, int axis, long factor) {
    if (factor == 1) {
      return a;
    }
    Expr<T> first = along(a, axis, Ops.range(0, 1));
    Expr<T> last = along(a, axis, Ops.from(-1));
    Expr<T> before = Ops.concat(axis, first, along(a, axis, Ops.range(0, -1)));
    Expr<T> after = Ops.concat(axis, along(a, axis, Ops.from(1)), last);
    var phases = new ArrayList<Expr<T>>();
    for (long p = 0; p < factor; p++) {
      double offset = (p + 0.5) / factor - 0.5;
      double other = Math.abs(offset);
      Expr<T> neighbour = offset < 0 ? before : after;
      phases.add(other == 0 ? a : a.times(1 - other).plus(neighbour.times(other)));
    }
    long[] dims = a.shape().extents();
    dims[axis] = UnknownDims.times(dims[axis], factor);
    return Ops.stack(axis + 1, phases).reshape(dims);
  }

  private static <T> Expr<T> along(Expr<T> a, int axis, Slice slice) {
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Ops.all());
    slices[axis] = slice;
    return a.slice(slices);
  }

  /**
   * Average pooling of the last axes to given sizes: {@code v[n, c, h, w] -> [n, c, sizes...]}.
   * Element {@code k} of {@code m} along an axis of size {@code s} is the mean of the elements from
   * {@code k s / m}, rounded down, to {@code (k + 1) s / m}, rounded up.
   *
   * @param sizes one for each of the last axes, at least 1
   */
  public static <T> Variable<T> adaptiveAveragePool(Variable<T> v, long... sizes) {
    requireLastAxes("adaptiveAveragePool", "size", v, sizes);
    return unary("adaptiveAveragePool", v, a -> pooled(a, (b, axis) -> Ops.mean(b, axis), sizes));
  }

  /**
   * Max pooling of the last axes to given sizes, with the windows of {@link #adaptiveAveragePool}:
   * {@code v[n, c, h, w] -> [n, c, sizes...]}.
   *
   * @param sizes one for each of the last axes, at least 1
   */
  public static <T> Variable<T> adaptiveMaxPool(Variable<T> v, long... sizes) {
    requireLastAxes("adaptiveMaxPool", "size", v, sizes);
    return unary("adaptiveMaxPool", v, a -> pooled(a, (b, axis) -> Ops.max(b, axis), sizes));
  }

  private static <T> Expr<T> pooled(
      Expr<T> a, BiFunction<Expr<T>, Integer, Expr<T>> reduce, long... sizes) {
    Expr<T> y = a;
    for (int d = 0; d < sizes.length; d++) {
      y = pooled(y, reduce, d - sizes.length + y.shape().rank(), sizes[d]);
    }
    return y;
  }

  private static <T> Expr<T> pooled(
      Expr<T> a, BiFunction<Expr<T>, Integer, Expr<T>> reduce, int axis, long size) {
    if (size == 1) {
      return reduce.apply(a, axis).unsqueeze(axis);
    }
    long from = a.shape().dim(axis);
    if (from == size) {
      return a;
    }
    if (from % size == 0) {
      long[] dims = a.shape().extents();
      long[] split = new long[dims.length + 1];
      System.arraycopy(dims, 0, split, 0, axis);
      split[axis] = size;
      split[axis + 1] = from / size;
      System.arraycopy(dims, axis + 1, split, axis + 2, dims.length - axis - 1);
      return reduce.apply(a.reshape(split), axis + 1);
    }
    var windows = new ArrayList<Expr<T>>();
    for (long k = 0; k < size; k++) {
      Slice window = Ops.range(k * from / size, Math.ceilDiv((k + 1) * from, size));
      windows.add(reduce.apply(along(a, axis, window), axis));
    }
    return Ops.stack(axis, windows);
  }

  private static void requireLastAxes(String op, String what, Variable<?> v, long... numbers) {
    boolean fits = numbers.length > 0 && numbers.length <= v.dims().rank();
    if (!fits || Arrays.stream(numbers).anyMatch(k -> k < 1)) {
      throw new ShapeException(
          "[%s] there must be a %s of at least 1 for one or more of the last axes; got %s for %s."
              .formatted(op, what, Arrays.toString(numbers), v));
    }
  }

  /**
   * Pixel shuffle (Shi et al., 2016): moves blocks of {@code factor * factor} channels to the
   * pixels of blocks, {@code v[..., c factor factor, h, w] -> [..., c, h factor, w factor]}.
   *
   * @param factor at least 1
   */
  public static <T> Variable<T> pixelShuffle(Variable<T> v, long factor) {
    int rank = v.dims().rank();
    long channels = rank < 3 ? Dims.UNKNOWN : v.dims().at(-3);
    if (factor < 1 || channels < 1 || channels % (factor * factor) != 0) {
      throw new ShapeException(
          ("[pixelShuffle] the input must be [..., c, h, w] with a known number of channels that"
                  + " the squared factor divides; got %s and factor %s.")
              .formatted(v, factor));
    }
    return unary(
        "pixelShuffle",
        v,
        a -> {
          long[] dims = a.shape().extents();
          long h = dims[rank - 2];
          long w = dims[rank - 1];
          long c = channels / (factor * factor);
          return blocks(a, List.of(c, factor, factor, h, w), 0, 3, 1, 4, 2)
              .reshape(
                  withLast(dims, c, UnknownDims.times(h, factor), UnknownDims.times(w, factor)));
        });
  }

  /**
   * Inverse of {@link #pixelShuffle}: moves the pixels of blocks to channels, {@code v[..., c, h
   * factor, w factor] -> [..., c factor factor, h, w]}.
   *
   * @param factor at least 1; must divide height and width
   */
  public static <T> Variable<T> pixelUnshuffle(Variable<T> v, long factor) {
    int rank = v.dims().rank();
    long channels = rank < 3 ? Dims.UNKNOWN : v.dims().at(-3);
    boolean fits = factor >= 1 && channels >= 1;
    for (int d = 1; fits && d <= 2; d++) {
      fits = v.dims().at(-d) == Dims.UNKNOWN || v.dims().at(-d) % factor == 0;
    }
    if (!fits) {
      throw new ShapeException(
          ("[pixelUnshuffle] the input must be [..., c, h, w] with a known number of channels, and"
                  + " the factor must divide height and width; got %s and factor %s.")
              .formatted(v, factor));
    }
    return unary(
        "pixelUnshuffle",
        v,
        a -> {
          long[] dims = a.shape().extents();
          long h = UnknownDims.over(dims[rank - 2], factor);
          long w = UnknownDims.over(dims[rank - 1], factor);
          return blocks(a, List.of(channels, h, factor, w, factor), 0, 2, 4, 1, 3)
              .reshape(withLast(dims, channels * factor * factor, h, w));
        });
  }

  /** Splits the last three axes into five, and permutes these. */
  private static <T> Expr<T> blocks(Expr<T> a, List<Long> five, int... order) {
    long[] dims = a.shape().extents();
    int lead = dims.length - 3;
    long[] split = Arrays.copyOf(dims, lead + 5);
    int[] axes = new int[lead + 5];
    for (int d = 0; d < split.length; d++) {
      split[d] = d < lead ? dims[d] : five.get(d - lead);
      axes[d] = d < lead ? d : lead + order[d - lead];
    }
    return a.reshape(split).permute(axes);
  }

  private static long[] withLast(long[] dims, long c, long h, long w) {
    long[] all = dims.clone();
    all[dims.length - 3] = c;
    all[dims.length - 2] = h;
    all[dims.length - 1] = w;
    return all;
  }
}
