package ristretto.expr.print;

import java.util.Locale;

/**
 * How a tensor is printed; NumPy's options of the same names.
 *
 * @param threshold more elements than this are summarized
 * @param edgeItems elements shown at each end of a summarized axis
 * @param lineWidth columns of a line
 * @param precision digits after the point, or after the first digit in scientific notation
 */
public record PrintOptions(int threshold, int edgeItems, int lineWidth, int precision) {

  public static final PrintOptions DEFAULT = new PrintOptions(1000, 3, 75, 8);

  public PrintOptions {
    if (threshold < 0 || edgeItems < 1 || lineWidth < 1 || precision < 0) {
      throw new IllegalArgumentException(
          "[print] threshold and precision must be at least 0, edgeItems and lineWidth at least 1;"
              + String.format(
                  Locale.ROOT,
                  " got threshold %d, edgeItems %d, lineWidth %d, precision %d",
                  threshold,
                  edgeItems,
                  lineWidth,
                  precision));
    }
  }
}
