package ristretto.symbolic;

import java.util.Arrays;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
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
    Expr<T> padded = a;
    if (Arrays.stream(padding).anyMatch(p -> p != 0)
        || Arrays.stream(paddingAfter).anyMatch(p -> p != 0)) {
      int lead = a.shape().rank() - sizes.length;
      long[] around = new long[2 * a.shape().rank()];
      for (int d = 0; d < sizes.length; d++) {
        around[2 * (lead + d)] = padding[d];
        around[2 * (lead + d) + 1] = paddingAfter[d];
      }
      padded = Ops.padWith(a, fill, around);
    }
    return Ops.windows(padded, sizes, strides, dilations);
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
        + (Arrays.equals(padding, paddingAfter) ? "" : " and " + Arrays.toString(paddingAfter));
  }
}
