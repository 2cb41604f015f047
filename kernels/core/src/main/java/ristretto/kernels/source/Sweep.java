package ristretto.kernels.source;

import java.util.Locale;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * One {@link Accumulator#lanewise} accumulator in a loop with unordered iterations, in a form that
 * CPU compilers vectorize: floating-point sums are marked {@code ANY_ORDER}, and extremes of floats
 * are computed on integer keys of the same order.
 *
 * @param name prefix of all variables
 */
record Sweep(Accumulator accumulator, String name) {
  private Reduction.Kind kind() {
    return accumulator.reduction().kind();
  }

  private ScalarType type() {
    return accumulator.reduction().type();
  }

  private boolean extremeOfFloats() {
    return (kind() == Reduction.Kind.MAX || kind() == Reduction.Kind.MIN) && type().isFloat();
  }

  private ScalarType bits() {
    return type() == ScalarType.F64 ? ScalarType.I64 : ScalarType.I32;
  }

  private String element() {
    return accumulator.parts().getFirst().type();
  }

  /** Declares the variables of an empty accumulator. */
  void declare(Code code) {
    if (extremeOfFloats()) {
      String word = Literal.type(bits());
      boolean most = kind() == Reduction.Kind.MAX;
      code.line("%s %s = %s;".formatted(word, name, Literal.of(bits(), keyOfInfinity(most))));
      code.line(word + " " + name + "_nan = 0;");
    } else {
      code.line(element() + " " + name + " = " + accumulator.parts().getFirst().start() + ";");
    }
  }

  /**
   * Returns the key of an infinity, the start value: the negative one for MAX, the positive one for
   * MIN.
   */
  private long keyOfInfinity(boolean negative) {
    boolean wide = type() == ScalarType.F64;
    long key =
        wide
            ? Double.doubleToRawLongBits(Double.POSITIVE_INFINITY)
            : Float.floatToRawIntBits(Float.POSITIVE_INFINITY);
    return negative ? ~key : key;
  }

  /** Adds an element. */
  void add(Code code, String value) {
    switch (kind()) {
      case SUM, ROW_SUM, PROD -> {
        String statement = name + " = " + accumulator.with(name, value) + ";";
        if (type().isFloat()) {
          inAnyOrder(code, statement);
        } else {
          code.line(statement);
        }
      }
      case MAX, MIN -> {
        if (extremeOfFloats()) {
          addExtreme(code, value);
        } else {
          code.line(name + " = " + accumulator.with(name, value) + ";");
        }
      }
      case ANY -> code.line(name + " |= " + value + ";");
      case ALL -> code.line(name + " &= " + value + ";");
      case LAMBDA, ARGMAX, ARGMIN -> throw new IllegalStateException(kind() + " has an order");
    }
  }

  private static void inAnyOrder(Code code, String statement) {
    code.open("");
    code.line("ANY_ORDER");
    code.line(statement);
    code.close();
  }

  private void addExtreme(Code code, String value) {
    String word = Literal.type(bits());
    String bits = Operation.text(Op.BITCAST, bits(), type(), value, "", "");
    code.line("const %s %s_bits = %s;".formatted(word, name, bits));
    code.line("const %s %s_key = %s;".formatted(word, name, flipped(name + "_bits")));
    code.line("%s_nan |= %s != %s;".formatted(name, value, value));
    String better = kind() == Reduction.Kind.MAX ? ">" : "<";
    code.line(
        String.format(Locale.ROOT, "%1$s = %1$s_key %2$s %1$s ? %1$s_key : %1$s;", name, better));
  }

  /** Converts the bits of a float to an integer of the same order, and back. */
  private String flipped(String x) {
    return bits() == ScalarType.I64
        ? String.format(Locale.ROOT, "%1$s ^ ((%1$s >> 63) & I64(9223372036854775807))", x)
        : String.format(Locale.ROOT, "%1$s ^ ((%1$s >> 31) & 2147483647)", x);
  }

  /** Declares the variable {@code to} with the accumulated value. */
  void finish(Code code, String to) {
    String value = name;
    if (extremeOfFloats()) {
      String number = Operation.text(Op.BITCAST, type(), bits(), flipped(name), "", "");
      long nan =
          type() == ScalarType.F64
              ? Double.doubleToRawLongBits(Double.NaN)
              : Float.floatToRawIntBits(Float.NaN);
      value = name + "_nan ? " + Literal.of(type(), nan) + " : " + number;
    }
    code.line("const " + element() + " " + to + " = " + value + ";");
  }
}
