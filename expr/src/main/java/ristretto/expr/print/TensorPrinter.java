package ristretto.expr.print;

import ristretto.expr.option.PrintOptions;
import ristretto.kernels.scalar.ScalarType;

/**
 * Prints tensors in the layout of NumPy's {@code array2string}: nested brackets, aligned columns,
 * wrapped lines, and only the ends of each axis for more than {@link PrintOptions#threshold}
 * elements. Differences to NumPy: booleans are printed as in Java; a rank-0 tensor shows all its
 * digits; a summarized tensor of high rank shows fewer elements, such that the text has at most
 * about ten thousand numbers.
 */
public final class TensorPrinter {
  private static final int MOST_SHOWN = 10_000;

  private final String[] texts;
  private final Axis[] axes;
  private final StringBuilder text = new StringBuilder();

  /** Number of texts written so far, in output order. */
  private int written;

  /**
   * Axis of {@code extent} positions, of which the first {@code lead} and the last {@code trail}
   * are shown.
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

  private TensorPrinter(String[] texts, Axis[] axes) {
    this.texts = texts;
    this.axes = axes;
  }

  /** Text of the elements in brackets. */
  public static String print(ScalarType type, long[] shape, ElementReader reader) {
    return print(type, shape, reader, PrintOptions.DEFAULT);
  }

  /** Text of the elements in brackets, with given options. */
  public static String print(
      ScalarType type, long[] shape, ElementReader reader, PrintOptions options) {
    if (shape.length == 0) {
      return ElementFormat.alone(type, reader);
    }
    for (long extent : shape) {
      if (extent == 0) {
        return "[]";
      }
    }
    Axis[] axes = shownAxes(shape, options);
    String[] texts = ElementFormat.texts(type, reader, shownElements(axes, shape), options);
    TensorPrinter printer = new TensorPrinter(texts, axes);
    if (axes.length == 1) {
      printer.row(" ", options.lineWidth());
    } else {
      printer.block(0, " ", options.lineWidth());
    }
    return printer.text.toString();
  }

  /** Type and shape, such as {@code f32[2,3]}. */
  public static String header(ScalarType type, long[] shape) {
    StringBuilder header = new StringBuilder(type.label()).append('[');
    for (int k = 0; k < shape.length; k++) {
      header.append(k == 0 ? "" : ",").append(shape[k]);
    }
    return header.append(']').toString();
  }

  /**
   * Text of {@link #header} in the first line, followed by {@link #print}; in one line for rank 0.
   */
  public static String describe(ScalarType type, long[] shape, ElementReader reader) {
    return header(type, shape)
        .concat(shape.length == 0 ? " " : "\n")
        .concat(print(type, shape, reader));
  }

  private static Axis[] shownAxes(long[] shape, PrintOptions options) {
    double size = 1;
    for (long extent : shape) {
      size *= extent;
    }
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
    Axis[] axes = new Axis[shape.length];
    for (int k = 0; k < shape.length; k++) {
      axes[k] = Axis.of(shape[k], ends);
    }
    return axes;
  }

  private static double shown(Axis[] axes) {
    double shown = 1;
    for (Axis axis : axes) {
      shown *= axis.shown();
    }
    return shown;
  }

  /** Row-major numbers of the shown elements, in output order. */
  private static long[] shownElements(Axis[] axes, long[] shape) {
    long[] elements = {0};
    for (int k = 0; k < axes.length; k++) {
      long[] next = new long[elements.length * axes[k].shown()];
      int n = 0;
      for (long element : elements) {
        for (int p = 0; p < axes[k].shown(); p++) {
          next[n++] = element * shape[k] + axes[k].position(p);
        }
      }
      elements = next;
    }
    return elements;
  }

  /**
   * Prints an axis that is not the last: blocks separated by as many line breaks as a block has
   * axes.
   */
  private void block(int k, String indent, int width) {
    Axis axis = axes[k];
    String separator = "\n".repeat(axes.length - k - 1).concat(indent);
    text.append('[');
    for (int p = 0; p < axis.shown(); p++) {
      text.append(p == 0 ? "" : separator);
      if (axis.cut() && p == axis.lead()) {
        text.append("...").append(separator);
      }
      if (k + 2 == axes.length) {
        row(indent.concat(" "), width - 1);
      } else {
        block(k + 1, indent.concat(" "), width - 1);
      }
    }
    if (axis.cut() && axis.trail() == 0) {
      text.append(separator).append("...");
    }
    text.append(']');
  }

  /** Prints the last axis: elements side by side, wrapped at {@code width} columns. */
  private void row(String indent, int width) {
    Axis axis = axes[axes.length - 1];
    StringBuilder line = new StringBuilder(indent);
    text.append('[');
    int start = text.length();
    for (int p = 0; p < axis.shown(); p++) {
      if (axis.cut() && p == axis.lead()) {
        line = extend(line, "...", indent, width).append(' ');
      }
      line = extend(line, texts[written++], indent, width);
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

  /** Appends {@code word} to the line, or to a new line if it does not fit. */
  private StringBuilder extend(StringBuilder line, String word, String indent, int width) {
    if (line.length() + word.length() > width - 1 && line.length() > indent.length()) {
      text.append(line.toString().stripTrailing()).append('\n');
      return new StringBuilder(indent).append(word);
    }
    return line.append(word);
  }
}
