package ristretto.expr.print;

import ristretto.kernels.scalar.ScalarType;

/**
 * NumPy's {@code FloatingFormat}: positional or scientific for the whole tensor, points under each
 * other. Scientific as soon as a number is too large for its type's digits, smaller than 1e-4, or
 * 1000 times another.
 */
final class FloatFormat implements ElementFormat {
  private final ElementReader reader;
  private final Decimal decimal;
  private final boolean scientific;
  private int precision;
  private int exponentDigits;
  private int left;
  private int right;

  private FloatFormat(ElementReader reader, Decimal decimal, boolean scientific, int precision) {
    this.reader = reader;
    this.decimal = decimal;
    this.scientific = scientific;
    this.precision = precision;
  }

  static FloatFormat of(ScalarType type, ElementReader reader, long[] shown, PrintOptions options) {
    Decimal decimal = new Decimal(type);
    boolean scientific = scientific(type, decimal, reader, shown);
    FloatFormat format = new FloatFormat(reader, decimal, scientific, options.precision());
    format.measure(shown);
    return format;
  }

  private static boolean scientific(
      ScalarType type, Decimal decimal, ElementReader reader, long[] shown) {
    double largest = 0;
    double smallest = Double.POSITIVE_INFINITY;
    for (long element : shown) {
      double size = Math.abs(reader.floating(element));
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

  /** Ten to the number of decimal digits the type holds, at most 1e8. */
  private static double tooLarge(ScalarType type) {
    return switch (type) {
      case F16, BF16 -> 1e3;
      case F32 -> 1e6;
      case F64, BOOL, I8, U8, I32, I64 -> 1e8;
    };
  }

  private void measure(long[] shown) {
    int finite = 0;
    boolean negativeInfinity = false;
    int fraction = 0;
    for (long element : shown) {
      double value = reader.floating(element);
      negativeInfinity |= value == Double.NEGATIVE_INFINITY;
      if (Double.isFinite(value)) {
        finite++;
        String text = text(value);
        int point = text.indexOf('.');
        int exponent = scientific ? text.indexOf('e') : text.length();
        left = Math.max(left, point);
        fraction = Math.max(fraction, exponent - point - 1);
        exponentDigits = Math.max(exponentDigits, text.length() - exponent - 2);
      }
    }
    right = scientific ? exponentDigits + 2 + fraction : fraction;
    if (scientific) {
      precision = fraction;
    }
    if (finite < shown.length) {
      left = Math.max(left, (negativeInfinity ? 4 : 3) - (right + 1));
    }
  }

  private String text(double value) {
    return scientific
        ? decimal.scientific(value, precision, fractionDigits(), Math.max(2, exponentDigits))
        : decimal.positional(value, precision);
  }

  /** Zero while measuring, all the same once the columns are known. */
  private int fractionDigits() {
    return right == 0 ? 0 : precision;
  }

  static String notFinite(double value) {
    return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }

  @Override
  public String text(long element) {
    double value = reader.floating(element);
    if (!Double.isFinite(value)) {
      String text = notFinite(value);
      return " ".repeat(Math.max(0, left + right + 1 - text.length())) + text;
    }
    String text = text(value);
    int point = text.indexOf('.');
    int behind = text.length() - point - 1;
    return " ".repeat(left - point) + text + " ".repeat(Math.max(0, right - behind));
  }
}
