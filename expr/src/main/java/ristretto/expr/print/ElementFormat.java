package ristretto.expr.print;

import java.util.function.LongToIntFunction;
import ristretto.kernels.scalar.ScalarType;

/**
 * The text of an element; all elements of a tensor get texts of one width where columns ask for it.
 */
@FunctionalInterface
interface ElementFormat {

  String text(long element);

  /** A format that suits all the elements shown. */
  static ElementFormat of(
      ScalarType type, ElementReader reader, long[] shown, PrintOptions options) {
    if (type == ScalarType.BOOL) {
      return element -> reader.integer(element) != 0 ? " true" : "false";
    }
    if (type.isInteger()) {
      return integers(reader, shown);
    }
    return FloatFormat.of(type, reader, shown, options);
  }

  /** The format of a tensor without axes: nothing to align with, all digits. */
  static ElementFormat alone(ScalarType type, ElementReader reader) {
    if (type == ScalarType.BOOL) {
      return element -> Boolean.toString(reader.integer(element) != 0);
    }
    if (type.isInteger()) {
      return element -> Long.toString(reader.integer(element));
    }
    Decimal decimal = new Decimal(type);
    return element -> {
      double value = reader.floating(element);
      return Double.isFinite(value) ? decimal.alone(value) : FloatFormat.notFinite(value);
    };
  }

  private static ElementFormat integers(ElementReader reader, long[] shown) {
    LongToIntFunction width = element -> Long.toString(reader.integer(element)).length();
    int widest = 0;
    for (long element : shown) {
      widest = Math.max(widest, width.applyAsInt(element));
    }
    int columns = widest;
    return element -> {
      String text = Long.toString(reader.integer(element));
      return " ".repeat(columns - text.length()) + text;
    };
  }
}
