package ristretto.expr.print;

import java.util.Arrays;
import java.util.StringJoiner;
import ristretto.kernels.scalar.ScalarType;

/**
 * Tensors as text, as NumPy's {@code array2string} lays them out: nested brackets, aligned columns,
 * wrapped lines, and only the ends of each axis once there are more than {@link
 * PrintOptions#threshold} elements. Differences: booleans are Java's words; a tensor without axes
 * shows all its digits; and where NumPy would still print a great many elements of a summarized
 * array of high rank, fewer are shown, so that the text never grows beyond some ten thousand
 * numbers.
 */
public final class TensorPrinter {
  private static final int MOST_SHOWN = 10_000;

  private final ElementFormat format;
  private final long[] strides;
  private final Axis[] axes;
  private final StringBuilder text = new StringBuilder();

  /**
   * Of an axis of {@code extent} positions, the first {@code lead} and the last {@code trail} are
   * shown.
   */
  private record Axis(long extent, int lead, int trail) {
    static Axis of(long extent, int ends) {
      return extent > 2L * ends ? new Axis(extent, ends, ends) : new Axis(extent, (int) extent, 0);
    }

    boolean cut() {
      return shown() < extent;
    }

    int shown() {
      return lead + trail;
    }

    long position(int k) {
      return k < lead ? k : extent - shown() + k;
    }
  }

  private TensorPrinter(ElementFormat format, long[] strides, Axis[] axes) {
    this.format = format;
    this.strides = strides;
    this.axes = axes;
  }

  /** The elements in brackets. */
  public static String print(ScalarType type, long[] shape, ElementReader reader) {
    return print(type, shape, reader, PrintOptions.DEFAULT);
  }

  /** The elements in brackets, with other options than NumPy's defaults. */
  public static String print(
      ScalarType type, long[] shape, ElementReader reader, PrintOptions options) {
    if (shape.length == 0) {
      return ElementFormat.alone(type, reader).text(0);
    }
    if (Arrays.stream(shape).anyMatch(extent -> extent == 0)) {
      return "[]";
    }
    Axis[] axes = shownAxes(shape, options);
    long[] strides = new long[shape.length];
    strides[shape.length - 1] = 1;
    for (int k = shape.length - 1; k > 0; k--) {
      strides[k - 1] = strides[k] * shape[k];
    }
    ElementFormat format = ElementFormat.of(type, reader, shownElements(axes, strides), options);
    TensorPrinter printer = new TensorPrinter(format, strides, axes);
    if (axes.length == 1) {
      printer.row(0, " ", options.lineWidth());
    } else {
      printer.block(0, 0, " ", options.lineWidth());
    }
    return printer.text.toString();
  }

  /** Type and shape, {@code f32[2,3]}. */
  public static String header(ScalarType type, long[] shape) {
    StringJoiner joiner = new StringJoiner(",", type.label() + "[", "]");
    Arrays.stream(shape).mapToObj(Long::toString).forEach(joiner::add);
    return joiner.toString();
  }

  /** {@link #header} on a line of its own, then {@link #print}; on one line without axes. */
  public static String describe(ScalarType type, long[] shape, ElementReader reader) {
    return header(type, shape) + (shape.length == 0 ? " " : "\n") + print(type, shape, reader);
  }

  private static Axis[] shownAxes(long[] shape, PrintOptions options) {
    double size = Arrays.stream(shape).asDoubleStream().reduce(1, (a, b) -> a * b);
    if (size <= options.threshold()) {
      return axes(shape, Integer.MAX_VALUE);
    }
    int ends = options.edgeItems();
    Axis[] axes = axes(shape, ends);
    while (shown(axes) > MOST_SHOWN && ends > 1) {
      axes = axes(shape, --ends);
    }
    for (int k = 0; shown(axes) > MOST_SHOWN; k++) {
      axes[k] = new Axis(shape[k], 1, 0);
    }
    return axes;
  }

  private static Axis[] axes(long[] shape, int ends) {
    return Arrays.stream(shape).mapToObj(extent -> Axis.of(extent, ends)).toArray(Axis[]::new);
  }

  private static double shown(Axis[] axes) {
    return Arrays.stream(axes).mapToDouble(Axis::shown).reduce(1, (a, b) -> a * b);
  }

  private static long[] shownElements(Axis[] axes, long[] strides) {
    long[] elements = {0};
    for (int k = 0; k < axes.length; k++) {
      Axis axis = axes[k];
      long[] next = new long[elements.length * axis.shown()];
      int n = 0;
      for (long element : elements) {
        for (int p = 0; p < axis.shown(); p++) {
          next[n++] = element + axis.position(p) * strides[k];
        }
      }
      elements = next;
    }
    return elements;
  }

  /**
   * An axis that is not the last: blocks below each other, apart by as many lines as they have axes
   * less one.
   */
  private void block(int k, long element, String indent, int width) {
    Axis axis = axes[k];
    String separator = "\n".repeat(axes.length - k - 1) + indent;
    text.append('[');
    for (int p = 0; p < axis.shown(); p++) {
      text.append(p == 0 ? "" : separator);
      if (axis.cut() && p == axis.lead()) {
        text.append("...").append(separator);
      }
      long inner = element + axis.position(p) * strides[k];
      if (k + 2 == axes.length) {
        row(inner, indent + " ", width - 1);
      } else {
        block(k + 1, inner, indent + " ", width - 1);
      }
    }
    if (axis.cut() && axis.trail() == 0) {
      text.append(separator).append("...");
    }
    text.append(']');
  }

  /** The last axis: elements beside each other, wrapped at {@code width} columns. */
  private void row(long element, String indent, int width) {
    Axis axis = axes[axes.length - 1];
    StringBuilder line = new StringBuilder(indent);
    text.append('[');
    int start = text.length();
    for (int p = 0; p < axis.shown(); p++) {
      if (axis.cut() && p == axis.lead()) {
        line = extend(line, "...", indent, width).append(' ');
      }
      line = extend(line, format.text(element + axis.position(p)), indent, width);
      if (p + 1 < axis.shown()) {
        line.append(' ');
      }
    }
    if (axis.cut() && axis.trail() == 0) {
      line.append(' ');
      line = extend(line, "...", indent, width);
    }
    text.append(line);
    text.delete(start, start + indent.length()).append(']');
  }

  /** Puts {@code word} on the line, or where it would be too long, on a new one. */
  private StringBuilder extend(StringBuilder line, String word, String indent, int width) {
    if (line.length() + word.length() > width - 1 && line.length() > indent.length()) {
      text.append(line.toString().stripTrailing()).append('\n');
      return new StringBuilder(indent).append(word);
    }
    return line.append(word);
  }
}
