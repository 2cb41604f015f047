package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.PaddingMode;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.onnx.export.Attribute;
import ristretto.symbolic.onnx.export.OnnxGraph;

/**
 * Window that slides over the last axes of an input, for convolutions and pooling.
 *
 * <pre>{@code
 * Variable<F32> y = conv("c1", x, 20, Window.of(5, 5).padding(2, 2));
 * }</pre>
 */
public final class Window {
  private final long[] sizes;
  private final long[] strides;
  private final long[] dilations;
  private final long[] padding;

  private final long[] paddingAfter;

  private Window(
      long[] sizes, long[] strides, long[] dilations, long[] padding, long[] paddingAfter) {
    this.sizes = sizes;
    this.strides = strides;
    this.dilations = dilations;
    this.padding = padding;
    this.paddingAfter = paddingAfter;
  }

  /** Window of these sizes along the last axes, with stride 1, dilation 1 and no padding. */
  public static Window of(long... sizes) {
    long[] ones = new long[sizes.length];
    Arrays.fill(ones, 1);
    long[] none = new long[sizes.length];
    return new Window(sizes.clone(), ones, ones, none, none);
  }

  /** Returns this window with a stride along each axis, or one for all axes. */
  public Window stride(long... strides) {
    return new Window(sizes, matching("stride", strides), dilations, padding, paddingAfter);
  }

  /**
   * Returns this window with a dilation along each axis, or one for all axes: the distance between
   * its elements.
   */
  public Window dilation(long... dilations) {
    return new Window(sizes, strides, matching("dilation", dilations), padding, paddingAfter);
  }

  /** Returns this window with padding at both ends of each axis; one number is for all axes. */
  public Window padding(long... padding) {
    return padding(padding, padding);
  }

  /** Returns this window with padding before and after each axis. */
  public Window padding(long[] before, long[] after) {
    return new Window(
        sizes, strides, dilations, matching("padding", before), matching("padding", after));
  }

  /**
   * Returns this window with padding so that output size = input size / stride, rounded up; an odd
   * element is added at the end. Holds for input sizes that the strides divide, and for strides of
   * 1.
   */
  public Window same() {
    long[] before = new long[sizes.length];
    long[] after = new long[sizes.length];
    for (int d = 0; d < sizes.length; d++) {
      long all = Math.max(0, (sizes[d] - 1) * dilations[d] + 1 - strides[d]);
      before[d] = all / 2;
      after[d] = all - before[d];
    }
    return padding(before, after);
  }

  /** Returns this window without padding. */
  Window unpadded() {
    return padding(new long[sizes.length]);
  }

  /** Returns true if there is padding along an axis. */
  boolean isPadded() {
    return Arrays.stream(padding).anyMatch(p -> p != 0)
        || Arrays.stream(paddingAfter).anyMatch(p -> p != 0);
  }

  /** Returns true if the stride along an axis is not 1. */
  boolean isStrided() {
    return Arrays.stream(strides).anyMatch(s -> s != 1);
  }

  private long[] matching(String what, long... values) {
    if (values.length == 1) {
      long[] all = new long[sizes.length];
      Arrays.fill(all, values[0]);
      return all;
    }
    if (values.length != sizes.length) {
      throw new ShapeException(
          "[window] there must be a %s for each axis, or one for all; got %s for a window of %s."
              .formatted(what, Arrays.toString(values), Arrays.toString(sizes)));
    }
    return values.clone();
  }

  int rank() {
    return sizes.length;
  }

  long[] sizes() {
    return sizes.clone();
  }

  /** Returns the shape of filters, {@code [first, second, window...]}. */
  long[] filters(long first, long second) {
    long[] shape = new long[2 + sizes.length];
    shape[0] = first;
    shape[1] = second;
    System.arraycopy(sizes, 0, shape, 2, sizes.length);
    return shape;
  }

  /**
   * Returns the shape of the images whose convolution has given results, {@code [n, channels,
   * extents...]}; with strides above 1 there are several, of which these are the smallest ones plus
   * {@code more} elements along each axis.
   */
  long[] transposed(Shape results, long channels, long... more) {
    long[] shape = results.extents();
    shape[1] = channels;
    for (int d = 0; d < sizes.length; d++) {
      long moved = UnknownDims.times(UnknownDims.minus(shape[2 + d], 1), strides[d]);
      long window = dilations[d] * (sizes[d] - 1) + 1;
      shape[2 + d] = UnknownDims.plus(moved, window - padding[d] - paddingAfter[d] + more[d]);
    }
    return shape;
  }

  /** Returns true if along each axis a number is below the stride or the dilation. */
  boolean isBelowStride(long... more) {
    boolean below = more.length == sizes.length;
    for (int d = 0; below && d < sizes.length; d++) {
      below = more[d] >= 0 && more[d] < Math.max(strides[d], dilations[d]);
    }
    return below;
  }

  /** Returns the number of elements of a window. */
  long elements() {
    return Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
  }

  /** Returns the axes of the windows' elements in {@link #over}. */
  int[] lastAxes() {
    return IntStream.range(-sizes.length, 0).toArray();
  }

  /** Returns all positions within a window, the last axis fastest. */
  List<long[]> places() {
    var all = new ArrayList<long[]>();
    for (long k = 0; k < elements(); k++) {
      long[] place = new long[sizes.length];
      long rest = k;
      for (int d = sizes.length - 1; d >= 0; d--) {
        place[d] = rest % sizes[d];
        rest /= sizes[d];
      }
      all.add(place);
    }
    return all;
  }

  /** Returns true if windows do not overlap and there is no padding. */
  boolean isApart() {
    boolean apart = true;
    for (int d = 0; d < sizes.length; d++) {
      apart &=
          padding[d] == 0 && paddingAfter[d] == 0 && strides[d] > dilations[d] * (sizes[d] - 1);
    }
    return apart;
  }

  /** Returns true if every element of an input is in a window, for windows that do not overlap. */
  boolean covers(Shape input) {
    boolean covers = true;
    for (int d = 0; d < sizes.length; d++) {
      long extent = input.dim(d - sizes.length);
      covers &= strides[d] == sizes[d] && dilations[d] == 1 && extent % sizes[d] == 0;
    }
    return covers;
  }

  /**
   * Returns slices along each axis: the elements at one position of all windows.
   *
   * @param windows number of windows along each axis
   */
  Slice[] slices(long[] place, long[] windows) {
    Slice[] slices = new Slice[sizes.length];
    for (int d = 0; d < slices.length; d++) {
      long from = place[d] * dilations[d];
      slices[d] = Ops.range(from, from + (windows[d] - 1) * strides[d] + 1, strides[d]);
    }
    return slices;
  }

  /** Returns the attributes of ONNX convolutions and pools. */
  Attribute[] attributes() {
    long[] pads = Arrays.copyOf(padding, 2 * padding.length);
    System.arraycopy(paddingAfter, 0, pads, padding.length, padding.length);
    return new Attribute[] {
      OnnxGraph.wholes("kernel_shape", sizes),
      OnnxGraph.wholes("strides", strides),
      OnnxGraph.wholes("dilations", dilations),
      OnnxGraph.wholes("pads", pads)
    };
  }

  /**
   * Returns the windows of an expression, with the windows' axes last.
   *
   * @param fill value of the padding
   */
  <T> Expr<T> over(Expr<T> a, double fill) {
    return slide(pad(a, fill));
  }

  /**
   * Returns the convolution of {@link #even} images with filters, for libraries; empty unless F32
   * or F64.
   */
  <T> Optional<Expr<T>> convolution(Expr<T> even, Expr<T> filters, long groups) {
    boolean known = even.dtype() == (Object) Ops.F32 || even.dtype() == (Object) Ops.F64;
    long[] around = isEven() ? padding : new long[padding.length];
    return known
        ? Optional.of(Ops.convolution(even, filters, strides, dilations, around, groups))
        : Optional.empty();
  }

  /** Returns true if the padding is symmetric. */
  private boolean isEven() {
    return Arrays.equals(padding, paddingAfter);
  }

  /** Pads images explicitly if the padding is asymmetric, since libraries pad symmetrically. */
  <T> Expr<T> even(Expr<T> images) {
    return isEven() ? images : pad(images, 0);
  }

  /** Crops {@link #even} images to the shape they had before. */
  <T> Expr<T> uneven(Expr<T> even, Shape images) {
    if (isEven()) {
      return even;
    }
    Slice[] all = new Slice[2 + sizes.length];
    Arrays.fill(all, Ops.all());
    System.arraycopy(inner(images), 0, all, 2, sizes.length);
    return even.slice(all);
  }

  /** Pads an expression with a value. */
  <T> Expr<T> pad(Expr<T> a, double fill) {
    return isPadded() ? Ops.padWith(a, fill, around(a.shape().rank())) : a;
  }

  /** Pads an expression in a mode. */
  <T> Expr<T> pad(Expr<T> a, PaddingMode mode) {
    return Ops.pad(a, mode, around(a.shape().rank()));
  }

  /** Returns the padding before and after each of {@code rank} axes, for those of the window. */
  private long[] around(int rank) {
    int lead = rank - sizes.length;
    long[] around = new long[2 * rank];
    for (int d = 0; d < sizes.length; d++) {
      around[2 * (lead + d)] = padding[d];
      around[2 * (lead + d) + 1] = paddingAfter[d];
    }
    return around;
  }

  /** Returns the windows of a padded expression, with the windows' axes last. */
  <T> Expr<T> slide(Expr<T> padded) {
    return Ops.windows(padded, sizes, strides, dilations);
  }

  /** Returns the sizes of a padded input along the axes of the window. */
  long[] padded(Shape input) {
    long[] extents = new long[sizes.length];
    for (int d = 0; d < extents.length; d++) {
      extents[d] = padding[d] + input.dim(d - sizes.length) + paddingAfter[d];
    }
    return extents;
  }

  /** Returns the slices of the input within {@link #padded}. */
  Slice[] inner(Shape input) {
    Slice[] slices = new Slice[sizes.length];
    for (int d = 0; d < slices.length; d++) {
      slices[d] = Ops.range(padding[d], padding[d] + input.dim(d - sizes.length));
    }
    return slices;
  }

  /** Returns the number of windows along each axis of a padded input. */
  long[] places(long[] padded) {
    long[] places = new long[sizes.length];
    for (int d = 0; d < places.length; d++) {
      places[d] = (padded[d] - dilations[d] * (sizes[d] - 1) - 1) / strides[d] + 1;
    }
    return places;
  }

  @Override
  public String toString() {
    return "window "
        + Arrays.toString(sizes)
        + " stride "
        + Arrays.toString(strides)
        + " dilation "
        + Arrays.toString(dilations)
        + " padding "
        + Arrays.toString(padding)
        + (isEven() ? "" : " and " + Arrays.toString(paddingAfter));
  }
}
