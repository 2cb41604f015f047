package ristretto.expr.print;

import java.util.Locale;

/**
 * Print options of tensors, named as NumPy's.
 *
 * @param threshold number of elements above which a tensor is summarized
 * @param edgeItems number of elements shown at each end of a summarized axis
 * @param lineWidth columns per line
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
