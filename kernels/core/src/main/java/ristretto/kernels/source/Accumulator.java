package ristretto.kernels.source;

import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * How one reduction accumulates, as C text.
 *
 * @param type of the accumulator
 * @param bytes of it in memory
 * @param start of an empty row
 * @param result type
 */
record Accumulator(Reduction reduction, String type, int bytes, String start, ScalarType result) {
  static Accumulator of(Reduction r, boolean wide, Functions functions) {
    ScalarType t = r.type();
    String plain = Literal.type(t);
    boolean single = t == ScalarType.F32;
    return switch (r.kind()) {
      case SUM ->
          single
              ? new Accumulator(r, "sum_f32", 8, "sum_of(0)", t)
              : new Accumulator(r, plain, t.bytes(), "0", t);
      case PROD ->
          new Accumulator(
              r, single ? "product_f32" : plain, single && wide ? 8 : t.bytes(), "1", t);
      case MAX -> new Accumulator(r, plain, t.bytes(), extreme(t, false), t);
      case MIN -> new Accumulator(r, plain, t.bytes(), extreme(t, true), t);
      case ARGMAX, ARGMIN -> {
        String name = functions.best(t, r.kind() == Reduction.Kind.ARGMAX);
        yield new Accumulator(r, name, 16, name + "_of(0, -1)", ScalarType.I64);
      }
      case ANY -> new Accumulator(r, "i32", 4, "0", t);
      case ALL -> new Accumulator(r, "i32", 4, "1", t);
      case LAMBDA -> new Accumulator(r, plain, t.bytes(), Literal.of(t, r.identity()), t);
    };
  }

  /** The accumulator of a scan. */
  static Accumulator of(Op op, ScalarType type, boolean wide, Functions functions) {
    Reduction.Kind kind =
        switch (op) {
          case ADD -> Reduction.Kind.SUM;
          case MUL -> Reduction.Kind.PROD;
          case MAX -> Reduction.Kind.MAX;
          case MIN -> Reduction.Kind.MIN;
          default -> throw new IllegalStateException(op + " is no reduction");
        };
    return of(new Reduction(kind, type, 0), wide, functions);
  }

  private static String extreme(ScalarType type, boolean highest) {
    return Literal.of(
        switch (type) {
          case F32, F64 ->
              Node.Const.of(type, highest ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY);
          case I32 -> new Node.Const(type, highest ? Integer.MAX_VALUE : Integer.MIN_VALUE);
          default -> new Node.Const(type, highest ? Long.MAX_VALUE : Long.MIN_VALUE);
        });
  }

  /** Order matters: neighbours are combined with neighbours only. */
  boolean ordered() {
    return reduction.kind() == Reduction.Kind.LAMBDA;
  }

  /** The accumulator of one element, number {@code at} of its row. */
  String of(String value, String at) {
    return switch (reduction.kind()) {
      case SUM -> reduction.type() == ScalarType.F32 ? "sum_of(" + value + ")" : value;
      case ARGMAX, ARGMIN -> type + "_of(" + value + ", " + at + ")";
      default -> value;
    };
  }

  /** Both together; {@code a} is of the elements before those of {@code b}. */
  String merged(String a, String b, Functions functions) {
    ScalarType t = reduction.type();
    return switch (reduction.kind()) {
      case SUM ->
          t == ScalarType.F32
              ? "sum_plus(" + a + ", " + b + ")"
              : Operation.text(Op.ADD, t, t, a, b, "");
      case PROD -> Operation.text(Op.MUL, t, t, a, b, "");
      case MAX -> Operation.text(Op.MAX, t, t, a, b, "");
      case MIN -> Operation.text(Op.MIN, t, t, a, b, "");
      case ARGMAX, ARGMIN -> type + "_merged(" + a + ", " + b + ")";
      case ANY -> a + " | " + b;
      case ALL -> a + " & " + b;
      case LAMBDA ->
          functions.combiner(reduction.combine().orElseThrow()) + "(" + a + ", " + b + ")";
    };
  }

  /** The reduction's result. */
  String value(String a) {
    boolean single = reduction.type() == ScalarType.F32;
    return switch (reduction.kind()) {
      case SUM -> single ? "sum_value(" + a + ")" : a;
      case PROD -> single ? "(f32) " + a : a;
      case ARGMAX, ARGMIN -> a + ".at";
      default -> a;
    };
  }
}
