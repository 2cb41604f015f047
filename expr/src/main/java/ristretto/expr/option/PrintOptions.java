package ristretto.expr.option;

import java.util.Locale;
import ristretto.kernels.ShapeException;

/**
 * Print options of tensors, named as NumPy's; each method returns a copy with one option changed:
 *
 * <pre>{@code
 * t.print(PrintOptions.DEFAULT.precision(3).lineWidth(120));
 * }</pre>
 *
 * @param threshold number of elements above which a tensor is summarized
 * @param edgeItems number of elements shown at each end of a summarized axis
 * @param lineWidth columns per line
 * @param precision digits after the point, or after the first digit in scientific notation
 */
public record PrintOptions(int threshold, int edgeItems, int lineWidth, int precision) {

  /** NumPy's defaults. */
  public static final PrintOptions DEFAULT = new PrintOptions(1000, 3, 75, 8);

  /**
   * Validates the options.
   *
   * @throws ShapeException if an option is negative, or shows nothing
   */
  public PrintOptions {
    if (threshold < 0 || edgeItems < 1 || lineWidth < 1 || precision < 0) {
      throw new ShapeException(
          "[print] threshold and precision must be at least 0, edgeItems and lineWidth at least 1;"
              + String.format(
                  Locale.ROOT,
                  " got threshold %d, edgeItems %d, lineWidth %d, precision %d.",
                  threshold,
                  edgeItems,
                  lineWidth,
                  precision));
    }
  }

  /** Sets the number of elements above which a tensor is summarized. */
  public PrintOptions threshold(int threshold) {
    return new PrintOptions(threshold, edgeItems, lineWidth, precision);
  }

  /** Sets the number of elements shown at each end of a summarized axis. */
  public PrintOptions edgeItems(int edgeItems) {
    return new PrintOptions(threshold, edgeItems, lineWidth, precision);
  }

  /** Sets the number of columns per line. */
  public PrintOptions lineWidth(int lineWidth) {
    return new PrintOptions(threshold, edgeItems, lineWidth, precision);
  }

  /** Sets the number of digits after the point. */
  public PrintOptions precision(int precision) {
    return new PrintOptions(threshold, edgeItems, lineWidth, precision);
  }
}
