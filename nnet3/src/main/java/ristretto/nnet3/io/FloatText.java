package ristretto.nnet3.io;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Formats numbers as C++ streams do by default, like {@code %g} of {@code printf}: a given number
 * of significant digits without trailing zeros, and an exponent for numbers below 1e-4 and for
 * those with more integer digits than significant ones.
 */
public final class FloatText {
  private static final double[] POWERS = new double[23];

  /** Distance from a rounding tie below which the error of scaling may change the result. */
  private static final double DOUBTFUL = 1e-6;

  static {
    double power = 1;
    for (int k = 0; k < POWERS.length; k++) {
      POWERS[k] = power;
      power *= 10;
    }
  }

  private FloatText() {}

  /** Formats a number with {@code digits} significant digits, at most 9. */
  public static String of(double value, int digits) {
    var to = new StringBuilder();
    append(to, value, digits);
    return to.toString();
  }

  /** Appends a number with {@code digits} significant digits, at most 9. */
  static void append(StringBuilder to, double value, int digits) {
    if (Double.doubleToRawLongBits(value) < 0) {
      to.append('-');
    }
    double size = Math.abs(value);
    if (Double.isNaN(value)) {
      to.append("nan");
    } else if (Double.isInfinite(value)) {
      to.append("inf");
    } else if (size == 0) {
      to.append('0');
    } else {
      appendPositive(to, size, digits);
    }
  }

  private static void appendPositive(StringBuilder to, double value, int digits) {
    int exponent = (int) Math.floor(Math.log10(value));
    long mantissa = scaled(value, digits - 1 - exponent);
    if (mantissa < (long) POWERS[digits - 1] && mantissa >= 0) {
      // the logarithm of a number just below a power of ten was rounded up
      exponent--;
      mantissa = scaled(value, digits - 1 - exponent);
    }
    if (mantissa < 0) {
      var exact = new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
      exponent = exact.precision() - exact.scale() - 1;
      mantissa = exact.movePointRight(digits - 1 - exponent).longValueExact();
    } else if (mantissa >= (long) POWERS[digits]) {
      exponent++;
      mantissa /= 10;
    }
    while (mantissa % 10 == 0) {
      mantissa /= 10;
    }
    String text = Long.toString(mantissa);
    if (exponent < -4 || exponent >= digits) {
      scientific(to, text, exponent);
    } else if (exponent < 0) {
      to.append("0.").repeat('0', -exponent - 1).append(text);
    } else if (text.length() <= exponent + 1) {
      to.append(text).repeat('0', exponent + 1 - text.length());
    } else {
      to.append(text, 0, exponent + 1).append('.').append(text, exponent + 1, text.length());
    }
  }

  /** Returns {@code value * 10^power} rounded, or -1 if doubles cannot determine the rounding. */
  private static long scaled(double value, int power) {
    if (Math.abs(power) >= POWERS.length) {
      return -1;
    }
    double scaled = power < 0 ? value / POWERS[-power] : value * POWERS[power];
    double below = Math.floor(scaled);
    if (Math.abs(scaled - below - 0.5) < DOUBTFUL) {
      return -1;
    }
    return (long) Math.rint(scaled);
  }

  private static void scientific(StringBuilder to, String digits, int exponent) {
    to.append(digits.charAt(0));
    if (digits.length() > 1) {
      to.append('.').append(digits, 1, digits.length());
    }
    to.append(exponent < 0 ? "e-" : "e+");
    int size = Math.abs(exponent);
    to.append(size < 10 ? "0" : "").append(size);
  }
}
