package ristretto.symbolic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.expr.Slice;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.onnx.Attribute;

/**
 * How a window slides over the last axes of an input: for convolutions and pooling.
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

  /** A window of these extents along the last axes, that begins at every element. */
  public static Window of(long... sizes) {
    long[] ones = new long[sizes.length];
    Arrays.fill(ones, 1);
    long[] none = new long[sizes.length];
    return new Window(sizes.clone(), ones, ones, none, none);
  }

  /** Elements from one window to the next, along each axis. */
  public Window stride(long... strides) {
    return new Window(sizes, matching("stride", strides), dilations, padding, paddingAfter);
  }

  /** Elements from one element of a window to the next, along each axis. */
  public Window dilation(long... dilations) {
    return new Window(sizes, strides, matching("dilation", dilations), padding, paddingAfter);
  }

  /** Elements added at both ends of each axis. */
  public Window padding(long... padding) {
    return padding(padding, padding);
  }

  /** Elements added before and after those of each axis. */
  public Window padding(long[] before, long[] after) {
    return new Window(
        sizes, strides, dilations, matching("padding", before), matching("padding", after));
  }

  /**
   * As much padding as keeps extents, divided by the stride and rounded up; the odd element comes
   * after. For extents that the strides divide, and for strides of 1.
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

  private long[] matching(String what, long... values) {
    if (values.length != sizes.length) {
      throw new ShapeException(
          "[window] there must be a "
              + what
              + " for each axis; got "
              + Arrays.toString(values)
              + " for a window of "
              + Arrays.toString(sizes)
              + ".");
    }
    return values.clone();
  }

  int rank() {
    return sizes.length;
  }

  long[] sizes() {
    return sizes.clone();
  }

  /** Elements of a window. */
  long elements() {
    return Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
  }

  /** The axes of the windows' elements in {@link #over}. */
  int[] lastAxes() {
    return IntStream.range(-sizes.length, 0).toArray();
  }

  /** All places within a window, the last axis first. */
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

  /** No element is in two windows, or beside the input. */
  boolean isApart() {
    boolean apart = true;
    for (int d = 0; d < sizes.length; d++) {
      apart &=
          padding[d] == 0 && paddingAfter[d] == 0 && strides[d] > dilations[d] * (sizes[d] - 1);
    }
    return apart;
  }

  /** Every element of such an input is in a window, if they lie apart. */
  boolean covers(Shape input) {
    boolean covers = true;
    for (int d = 0; d < sizes.length; d++) {
      long extent = input.dim(d - sizes.length);
      covers &= strides[d] == sizes[d] && dilations[d] == 1 && extent % sizes[d] == 0;
    }
    return covers;
  }

  /** Where the elements at one place of so many windows are, along each axis. */
  Slice[] slices(long[] place, long[] windows) {
    Slice[] slices = new Slice[sizes.length];
    for (int d = 0; d < slices.length; d++) {
      long from = place[d] * dilations[d];
      slices[d] = Ops.range(from, from + (windows[d] - 1) * strides[d] + 1, strides[d]);
    }
    return slices;
  }

  /** As ONNX's convolutions and pools call it. */
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
   * The windows of an expression, their own axes last.
   *
   * @param fill of what is added around
   */
  <T> Expr<T> over(Expr<T> a, double fill) {
    return slide(pad(a, fill));
  }

  /**
   * The convolution of {@link #even} images with filters, for libraries; empty in a dtype that they
   * have not.
   */
  <T> Optional<Expr<T>> convolution(Expr<T> even, Expr<T> filters, long groups) {
    boolean known = even.dtype() == (Object) Ops.F32 || even.dtype() == (Object) Ops.F64;
    long[] around = isEven() ? padding : new long[padding.length];
    return known
        ? Optional.of(Ops.convolution(even, filters, strides, dilations, around, groups))
        : Optional.empty();
  }

  /** As much is added before as after. */
  private boolean isEven() {
    return Arrays.equals(padding, paddingAfter);
  }

  /** Images to which what remains to be added is as much on one side as on the other. */
  <T> Expr<T> even(Expr<T> images) {
    return isEven() ? images : pad(images, 0);
  }

  /** Of {@link #even} images, those of the shape they had. */
  <T> Expr<T> uneven(Expr<T> even, Shape images) {
    if (isEven()) {
      return even;
    }
    Slice[] all = new Slice[2 + sizes.length];
    Arrays.fill(all, Ops.all());
    System.arraycopy(inner(images), 0, all, 2, sizes.length);
    return even.slice(all);
  }

  /** An expression with what is added around. */
  <T> Expr<T> pad(Expr<T> a, double fill) {
    if (Arrays.stream(padding).allMatch(p -> p == 0)
        && Arrays.stream(paddingAfter).allMatch(p -> p == 0)) {
      return a;
    }
    int lead = a.shape().rank() - sizes.length;
    long[] around = new long[2 * a.shape().rank()];
    for (int d = 0; d < sizes.length; d++) {
      around[2 * (lead + d)] = padding[d];
      around[2 * (lead + d) + 1] = paddingAfter[d];
    }
    return Ops.padWith(a, fill, around);
  }

  /** The windows of an expression to which everything has been added, their own axes last. */
  <T> Expr<T> slide(Expr<T> padded) {
    return Ops.windows(padded, sizes, strides, dilations);
  }

  /** Extents of an input along the axes of windows, with what is added. */
  long[] padded(Shape input) {
    long[] extents = new long[sizes.length];
    for (int d = 0; d < extents.length; d++) {
      extents[d] = padding[d] + input.dim(d - sizes.length) + paddingAfter[d];
    }
    return extents;
  }

  /** Where the input is within {@link #padded}. */
  Slice[] inner(Shape input) {
    Slice[] slices = new Slice[sizes.length];
    for (int d = 0; d < slices.length; d++) {
      slices[d] = Ops.range(padding[d], padding[d] + input.dim(d - sizes.length));
    }
    return slices;
  }

  /** How often a window fits into such extents. */
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
