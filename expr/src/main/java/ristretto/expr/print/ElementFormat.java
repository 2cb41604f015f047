package ristretto.expr.print;

import ristretto.expr.option.PrintOptions;
import ristretto.kernels.scalar.ScalarType;

/** Texts of the printed elements, padded to equal width. */
final class ElementFormat {
  private ElementFormat() {}

  static String[] texts(ScalarType type, ElementReader reader, long[] shown, PrintOptions options) {
    if (type.isFloat()) {
      return FloatFormat.texts(type, reader, shown, options);
    }
    String[] texts = new String[shown.length];
    for (int k = 0; k < shown.length; k++) {
      texts[k] = integer(type, reader.integer(shown[k]));
    }
    alignRight(texts);
    return texts;
  }

  /** Text of the element of a rank-0 tensor: unpadded, with all digits. */
  static String alone(ScalarType type, ElementReader reader) {
    return type.isFloat()
        ? FloatFormat.alone(type, reader.floating(0))
        : integer(type, reader.integer(0)).strip();
  }

  private static String integer(ScalarType type, long value) {
    if (type == ScalarType.BOOL) {
      return value != 0 ? " true" : "false";
    }
    return type == ScalarType.U64 ? Long.toUnsignedString(value) : Long.toString(value);
  }

  private static void alignRight(String[] texts) {
    int widest = 0;
    for (String text : texts) {
      widest = Math.max(widest, text.length());
    }
    for (int k = 0; k < texts.length; k++) {
      texts[k] = " ".repeat(widest - texts[k].length()).concat(texts[k]);
    }
  }
}
