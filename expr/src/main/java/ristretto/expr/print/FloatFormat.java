package ristretto.expr.print;

import ristretto.expr.option.PrintOptions;
import ristretto.kernels.scalar.ScalarType;

/**
 * NumPy's {@code FloatingFormat}: positional or scientific notation for the whole tensor, with
 * aligned points. Scientific if a number is too large for its type's digits, smaller than 1e-4, or
 * more than 1000 times another.
 */
final class FloatFormat {
  private final Decimal decimal;
  private final double[] values;
  private final String[] texts;

  private FloatFormat(Decimal decimal, double[] values) {
    this.decimal = decimal;
    this.values = values;
    this.texts = new String[values.length];
  }

  static String[] texts(ScalarType type, ElementReader reader, long[] shown, PrintOptions options) {
    double[] values = new double[shown.length];
    for (int k = 0; k < shown.length; k++) {
      values[k] = reader.floating(shown[k]);
    }
    FloatFormat format = new FloatFormat(new Decimal(type), values);
    if (format.isScientific(type)) {
      format.scientific(options.precision());
    } else {
      format.positional(options.precision());
    }
    return format.texts;
  }

  /** Text of a single number, without alignment. */
  static String alone(ScalarType type, double value) {
    return Double.isFinite(value) ? new Decimal(type).alone(value) : notFinite(value);
  }

  private boolean isScientific(ScalarType type) {
    double largest = 0;
    double smallest = Double.POSITIVE_INFINITY;
    for (double value : values) {
      double size = Math.abs(value);
      if (size != 0 && Double.isFinite(size)) {
        largest = Math.max(largest, size);
        smallest = Math.min(smallest, size);
      }
    }
    return largest != 0
        && (largest >= tooLarge(type)
            || smallest < decimal.round(1e-4)
            || decimal.round(largest / smallest) > 1000);
  }

  /**
   * Least magnitude that is printed in scientific notation: ten to the number of decimal digits of
   * the type, at most 1e8.
   */
  private static double tooLarge(ScalarType type) {
    return switch (type) {
      case F16, BF16 -> 1e3;
      case F32 -> 1e6;
      case F64, BOOL, I8, U8, I16, U16, I32, U32, I64, U64 -> 1e8;
    };
  }

  private void positional(int precision) {
    int left = 0;
    int right = 0;
    for (int k = 0; k < values.length; k++) {
      if (Double.isFinite(values[k])) {
        texts[k] = decimal.positional(values[k], precision);
        int point = texts[k].indexOf('.');
        left = Math.max(left, point);
        right = Math.max(right, texts[k].length() - point - 1);
      }
    }
    align(left, right);
  }

  /**
   * Formats in two passes: the first finds the largest number of digits that a number needs, the
   * second formats all numbers with it.
   */
  private void scientific(int precision) {
    int left = 0;
    int fraction = 0;
    int exponentDigits = 2;
    for (double value : values) {
      if (Double.isFinite(value)) {
        String text = decimal.scientific(value, precision, 0, 2);
        int point = text.indexOf('.');
        int exponent = text.indexOf('e');
        left = Math.max(left, point);
        fraction = Math.max(fraction, exponent - point - 1);
        exponentDigits = Math.max(exponentDigits, text.length() - exponent - 2);
      }
    }
    for (int k = 0; k < values.length; k++) {
      if (Double.isFinite(values[k])) {
        texts[k] = decimal.scientific(values[k], fraction, fraction, exponentDigits);
      }
    }
    align(left, fraction + 2 + exponentDigits);
  }

  /**
   * Pads to {@code left} columns before the point and {@code right} after it, wider if nan or inf
   * needs it.
   */
  private void align(int left, int right) {
    int width = left + 1 + right;
    for (int k = 0; k < values.length; k++) {
      if (!Double.isFinite(values[k])) {
        texts[k] = notFinite(values[k]);
        width = Math.max(width, texts[k].length());
      }
    }
    for (int k = 0; k < values.length; k++) {
      int point = texts[k].indexOf('.');
      int behind = point < 0 ? 0 : right - (texts[k].length() - point - 1);
      int before = width - behind - texts[k].length();
      texts[k] = " ".repeat(before).concat(texts[k]).concat(" ".repeat(behind));
    }
  }

  private static String notFinite(double value) {
    return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
}
