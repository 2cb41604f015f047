package ristretto.expr.print;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import ristretto.kernels.scalar.ScalarType;

/**
 * Decimal text of finite floating-point numbers: the shortest digits that read back as an equal
 * number of the type, limited to a precision (round half to even on the exact value). Equivalent to
 * NumPy's {@code dragon4} in unique mode.
 */
final class Decimal {
  private static final int UNLIMITED = Integer.MAX_VALUE;

  private final ScalarType type;

  Decimal(ScalarType type) {
    this.type = type;
  }

  /**
   * Positional notation such as {@code 12.5}, {@code 3.}, {@code -0.}: at least one digit before
   * the point and no trailing zeros.
   */
  String positional(double value, int precision) {
    String common = commonPositional(value, precision);
    if (common != null) {
      return common;
    }
    BigDecimal shortest = shortest(value);
    if (shortest.scale() > precision) {
      shortest = new BigDecimal(value).setScale(precision, RoundingMode.HALF_EVEN);
    }
    String text = shortest.abs().stripTrailingZeros().toPlainString();
    return sign(value) + (text.indexOf('.') < 0 ? text + "." : text);
  }

  /**
   * Java's text for short numbers that are neither tiny nor huge, as a fast path; null for others.
   */
  private String commonPositional(double value, int precision) {
    if (type != ScalarType.F32 && type != ScalarType.F64) {
      return null;
    }
    String text = type == ScalarType.F32 ? Float.toString((float) value) : Double.toString(value);
    int fraction = text.length() - text.indexOf('.') - 1;
    if (fraction > precision || text.indexOf('E') >= 0) {
      return null;
    }
    return text.endsWith(".0") ? text.substring(0, text.length() - 1) : text;
  }

  /**
   * Scientific notation such as {@code 1.25e-05}: one digit before the point and at least {@code
   * fraction} digits after it; digits beyond those of the shortest text are taken from the exact
   * value.
   */
  String scientific(double value, int precision, int fraction, int exponentDigits) {
    BigDecimal shortest = shortest(value);
    int wanted = Math.min(precision, Math.max(fraction, shortest.precision() - 1));
    if (wanted != shortest.precision() - 1) {
      shortest = new BigDecimal(value).round(new MathContext(wanted + 1, RoundingMode.HALF_EVEN));
    }
    BigDecimal number = shortest.abs().stripTrailingZeros();
    String digits = number.unscaledValue().toString();
    int exponent = value == 0 ? 0 : digits.length() - 1 - number.scale();
    StringBuilder text = new StringBuilder(sign(value)).append(digits.charAt(0)).append('.');
    text.append(digits, 1, digits.length());
    text.repeat('0', Math.max(0, fraction - (digits.length() - 1)));
    text.append('e').append(exponent < 0 ? '-' : '+');
    String exponentText = Integer.toString(Math.abs(exponent));
    text.repeat('0', Math.max(0, exponentDigits - exponentText.length()));
    return text.append(exponentText).toString();
  }

  /** Text of a single number with all its digits, scientific below 1e-4 and from 1e16 on. */
  String alone(double value) {
    double size = Math.abs(value);
    if (size != 0 && (size < round(1e-4) || size >= round(1e16))) {
      String text = scientific(value, UNLIMITED, 0, 2);
      return text.replace(".e", "e");
    }
    String text = positional(value, UNLIMITED);
    return text.endsWith(".") ? text + "0" : text;
  }

  /** Rounds to the nearest number of this type. */
  double round(double value) {
    return switch (type) {
      case F16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      case BF16 -> roundToBrain((float) value);
      case F32 -> (float) value;
      case F64, BOOL, I8, U8, I16, U16, I32, U32, I64, U64 -> value;
    };
  }

  private static float roundToBrain(float value) {
    int bits = Float.floatToRawIntBits(value);
    int half = 0x7fff + ((bits >>> 16) & 1);
    return Float.intBitsToFloat((bits + half) & 0xffff0000);
  }

  private static String sign(double value) {
    return Double.doubleToRawLongBits(value) < 0 ? "-" : "";
  }

  private BigDecimal shortest(double value) {
    if (value == 0) {
      return BigDecimal.ZERO;
    }
    return switch (type) {
      case F32 -> fewest(new BigDecimal(Float.toString((float) value)), value);
      case F64, BOOL, I8, U8, I16, U16, I32, U32, I64, U64 ->
          fewest(new BigDecimal(Double.toString(value)), value);
      case F16, BF16 -> shortestHalf(value);
    };
  }

  /** Tries a single digit where Java prints two although one would suffice (2.0E-45 for 1e-45). */
  private BigDecimal fewest(BigDecimal javas, double value) {
    BigDecimal stripped = javas.stripTrailingZeros();
    if (stripped.precision() == 2) {
      BigDecimal one = new BigDecimal(value).round(new MathContext(1, RoundingMode.HALF_EVEN));
      double readBack = type == ScalarType.F32 ? one.floatValue() : one.doubleValue();
      return readBack == value ? one : stripped;
    }
    return stripped;
  }

  private BigDecimal shortestHalf(double value) {
    BigDecimal exact = new BigDecimal(value);
    for (int digits = 1; ; digits++) {
      BigDecimal candidate = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
      if (round(candidate.floatValue()) == value) {
        return candidate;
      }
    }
  }
}
