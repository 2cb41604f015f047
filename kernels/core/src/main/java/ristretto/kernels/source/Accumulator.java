package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Accumulator of one reduction: one or several variables whose names share a prefix.
 *
 * @param result type of the reduction's result
 */
record Accumulator(Reduction reduction, List<Part> parts, ScalarType result, Functions functions) {
  /**
   * One variable of an accumulator.
   *
   * @param suffix suffix of the variable's name
   * @param bytes size in memory
   * @param start value for an empty row
   */
  record Part(String suffix, String type, int bytes, String start) {}

  /**
   * Suffixes of the variables for the position of an extreme and for the rounding error of a sum.
   */
  private static final String AT = "_at";

  private static final String LOW = "_low";

  static Accumulator of(Reduction r, boolean wide, Functions functions) {
    ScalarType t = r.type();
    var parts = new ArrayList<Part>();
    switch (r.kind()) {
      case SUM, ROW_SUM -> {
        parts.add(sum(t, wide, "0"));
        if (t == ScalarType.F32 && !wide) {
          parts.add(new Part(LOW, "f32", 4, "0"));
        }
      }
      case PROD -> parts.add(sum(t, wide, "1"));
      case MAX, MIN ->
          parts.add(
              new Part("", Literal.type(t), t.bytes(), Literal.of(t, r.kind().op().identity(t))));
      case ARGMAX, ARGMIN -> {
        parts.add(new Part("", Literal.type(t), t.bytes(), "0"));
        parts.add(new Part(AT, "i64", 8, Literal.of(ScalarType.I64, -1)));
      }
      case ANY -> parts.add(new Part("", "flag", 4, "false"));
      case ALL -> parts.add(new Part("", "flag", 4, "true"));
      case LAMBDA ->
          parts.add(
              new Part(
                  "",
                  Literal.type(t),
                  t == ScalarType.BOOL ? 4 : t.bytes(),
                  Literal.of(t, r.identity())));
    }
    return new Accumulator(r, List.copyOf(parts), r.resultType(), functions);
  }

  /** Returns the variable of a sum or product; F32 accumulates in F64 if the device has F64. */
  private static Part sum(ScalarType t, boolean wide, String start) {
    return t == ScalarType.F32 && wide
        ? new Part("", "f64", 8, start)
        : new Part("", Literal.type(t), t.bytes(), start);
  }

  /** Returns true if elements must be combined in order. */
  boolean ordered() {
    return reduction.kind() == Reduction.Kind.LAMBDA;
  }

  /** Returns true if the accumulator is one variable and elements may be added in any order. */
  boolean lanewise() {
    return parts.size() == 1 && !ordered();
  }

  /** Returns the expression of accumulator {@code a}, of one variable, with an element added. */
  String with(String a, String value) {
    return merged(a, element("", value, ""));
  }

  int bytes() {
    return parts.stream().mapToInt(Part::bytes).sum();
  }

  /** Declares an empty accumulator. */
  void declare(Code code, String name) {
    declare(code, "", name, Part::start);
  }

  /** Declares an accumulator as a copy of another one. */
  void declareCopy(Code code, String name, String other) {
    declare(code, "const ", name, part -> other + part.suffix);
  }

  private void declare(
      Code code, String modifier, String name, java.util.function.Function<Part, String> value) {
    for (Part part : parts) {
      code.line(modifier + part.type + " " + name + part.suffix + " = " + value.apply(part) + ";");
    }
  }

  /** Declares an accumulator with one element, number 0 of its row. */
  void declare(Code code, String name, String value) {
    declare(code, "", name, part -> element(part.suffix, value, "0"));
  }

  /** Adds an element, number {@code at} of its row. */
  void add(Code code, String name, String value, String at) {
    merge(code, name, suffix -> element(suffix, value, at));
  }

  private boolean widened() {
    return reduction.type() == ScalarType.F32 && parts.getFirst().type.equals("f64");
  }

  private String element(String suffix, String value, String at) {
    return switch (suffix) {
      case AT -> "(i64) " + at;
      case LOW -> "0";
      default -> widened() ? "(f64) " + value : value;
    };
  }

  /**
   * Merges another accumulator, of later elements.
   *
   * @param other returns the text of the other accumulator's variable by suffix
   */
  void merge(Code code, String name, UnaryOperator<String> other) {
    if (parts.size() == 1) {
      code.line(name + " = " + merged(name, other.apply("")) + ";");
      return;
    }
    code.open("");
    for (Part part : parts) {
      code.line(
          "const " + part.type + " other" + part.suffix + " = " + other.apply(part.suffix) + ";");
    }
    if (parts.get(1).suffix.equals(AT)) {
      String better = functions.better(reduction.type(), reduction.kind() == Reduction.Kind.ARGMAX);
      String places = name + ", " + name + AT + ", other, other" + AT;
      code.line("const flag stays = " + better + "(" + places + ");");
      for (Part part : parts) {
        String mine = name + part.suffix;
        code.line(mine + " = stays ? " + mine + " : other" + part.suffix + ";");
      }
    } else {
      code.line("const f32 high = " + name + " + other;");
      code.line("const f32 rest = high - " + name + ";");
      code.line(
          String.format(
              Locale.ROOT,
              "%1$s_low = (%1$s - (high - rest)) + (other - rest) + (%1$s_low + other_low);",
              name));
      code.line(name + " = high;");
    }
    code.close();
  }

  /** Returns the expression of two merged accumulators of one variable. */
  String merged(String a, String b) {
    ScalarType t = reduction.type();
    ScalarType wide = parts.getFirst().type.equals("f64") ? ScalarType.F64 : t;
    return switch (reduction.kind()) {
      case SUM, ROW_SUM -> Operation.text(Op.ADD, wide, wide, a, b, "");
      case PROD -> Operation.text(Op.MUL, wide, wide, a, b, "");
      case MAX -> Operation.text(Op.MAX, t, t, a, b, "");
      case MIN -> Operation.text(Op.MIN, t, t, a, b, "");
      case ANY -> a + " || " + b;
      case ALL -> a + " && " + b;
      case LAMBDA ->
          functions.combiner(reduction.combine().orElseThrow()) + "(" + a + ", " + b + ")";
      case ARGMAX, ARGMIN -> throw new IllegalStateException("has two parts");
    };
  }

  /** Returns the expression of the reduction's result. */
  String value(String name) {
    return switch (reduction.kind()) {
      case SUM, ROW_SUM, PROD ->
          parts.size() > 1
              ? "sum_of_parts(" + name + ", " + name + LOW + ")"
              : reduction.type() == ScalarType.F32 ? "(f32) " + name : name;
      case ARGMAX, ARGMIN -> name + AT;
      default -> name;
    };
  }

  /** Declares work-group memory for {@code count} accumulators. */
  void declareLocal(Entry entry, String name, int count) {
    for (Part part : parts) {
      entry.declare("LOCAL " + part.type + " " + name + part.suffix + "[" + count + "];");
    }
  }

  /** Writes an accumulator to element {@code at} of an array of accumulators. */
  void put(Code code, UnaryOperator<String> array, String at, String name) {
    for (Part part : parts) {
      code.line(array.apply(part.suffix) + "[" + at + "] = " + name + part.suffix + ";");
    }
  }

  /** Reads an accumulator from element {@code at} of an array of accumulators. */
  void take(Code code, String name, String array, String at) {
    for (Part part : parts) {
      code.line(name + part.suffix + " = " + array + part.suffix + "[" + at + "];");
    }
  }
}
