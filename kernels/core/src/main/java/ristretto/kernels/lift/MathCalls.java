package ristretto.kernels.lift;

import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Static methods of the JDK that map to one or a few operations of the IR. All others ({@code
 * Math.floorMod}, {@code Integer.bitCount}, {@code Float.compare}) are lifted from their bytecode
 * like a user's method.
 */
final class MathCalls {
  private static final double DEGREES_TO_RADIANS = 0.017453292519943295;
  private static final double RADIANS_TO_DEGREES = 57.29577951308232;

  /** Operations by the method of {@link Math} that computes them. */
  private static final Map<String, Op> OPERATIONS =
      Arrays.stream(Op.values())
          .filter(op -> op.math() != null)
          .collect(Collectors.toMap(Op::math, op -> op));

  private MathCalls() {}

  /** Returns the row of the result, or -1 if the method has no mapping. */
  static int lift(Logic logic, String owner, String name, Signature signature, int[] arguments) {
    return switch (owner) {
      case "java/lang/Math", "java/lang/StrictMath" -> math(logic, name, signature, arguments);
      case "java/lang/Float", "java/lang/Double" -> bits(logic.tape(), name, arguments[0]);
      case "java/lang/Integer", "java/lang/Long" -> {
        // The result of Long.signum is an int.
        yield name.equals("signum")
            ? logic.tape().convert(logic.tape().apply(Op.SIGN, arguments[0]), I32)
            : -1;
      }
      default -> -1;
    };
  }

  private static int bits(TapeBuilder tape, String name, int a) {
    return switch (name) {
      case "floatToRawIntBits" -> tape.bitcast(a, I32);
      case "intBitsToFloat" -> tape.bitcast(a, F32);
      case "doubleToRawLongBits" -> tape.bitcast(a, I64);
      case "longBitsToDouble" -> tape.bitcast(a, F64);
      default -> -1;
    };
  }

  private static int math(Logic logic, String name, Signature signature, int[] arguments) {
    TapeBuilder tape = logic.tape();
    if (name.equals("clamp")) {
      return clamp(tape, signature, arguments);
    }
    int a = arguments.length > 0 ? arguments[0] : -1;
    switch (name) {
      case "toRadians" -> {
        return tape.apply(Op.MUL, a, tape.constant(F64, DEGREES_TO_RADIANS));
      }
      case "toDegrees" -> {
        return tape.apply(Op.MUL, a, tape.constant(F64, RADIANS_TO_DEGREES));
      }
      case "round" -> {
        return round(logic, a, signature);
      }
      default -> {}
    }
    Op op = OPERATIONS.get(name);
    if (op == null) {
      return -1;
    }
    return switch (op.arity()) {
      case 1 -> tape.apply(op, a);
      case 2 -> tape.apply(op, a, arguments[1]);
      default -> tape.apply(op, a, arguments[1], arguments[2]);
    };
  }

  /**
   * Clamps to bounds. If the lower bound exceeds the upper one, where Java throws, the result is
   * the upper bound.
   */
  private static int clamp(TapeBuilder tape, Signature signature, int[] arguments) {
    boolean toInt = signature.result() == 'I';
    int low = toInt ? tape.convert(arguments[1], I64) : arguments[1];
    int high = toInt ? tape.convert(arguments[2], I64) : arguments[2];
    int row = tape.apply(Op.MIN, high, tape.apply(Op.MAX, arguments[0], low));
    return toInt ? tape.convert(row, I32) : row;
  }

  /** Rounds half up; the difference to the floor is exact wherever it matters. */
  private static int round(Logic logic, int a, Signature signature) {
    TapeBuilder tape = logic.tape();
    int floor = tape.apply(Op.FLOOR, a);
    int up = tape.apply(Op.GE, tape.apply(Op.SUB, a, floor), tape.constant(tape.type(a), 0.5));
    int one = tape.constant(tape.type(a), 1);
    int rounded = logic.select(up, tape.apply(Op.ADD, floor, one), floor);
    return tape.convert(rounded, Signature.type(signature.result()));
  }
}
