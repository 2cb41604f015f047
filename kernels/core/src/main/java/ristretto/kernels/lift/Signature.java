package ristretto.kernels.lift;

import ristretto.kernels.scalar.ScalarType;

/**
 * Method descriptor with one letter per type.
 *
 * @param parameters letters of the class file format, {@code L} for every object or array
 * @param result letter of the result, {@code V} for void
 */
record Signature(String parameters, char result) {
  static final char OBJECT = 'L';

  static Signature of(String descriptor) {
    var letters = new StringBuilder();
    int at = 1;
    while (descriptor.charAt(at) != ')') {
      char letter = descriptor.charAt(at);
      boolean array = letter == '[';
      while (descriptor.charAt(at) == '[') {
        at++;
      }
      at = descriptor.charAt(at) == 'L' ? descriptor.indexOf(';', at) + 1 : at + 1;
      letters.append(array ? OBJECT : letter);
    }
    char result = descriptor.charAt(at + 1);
    return new Signature(letters.toString(), result == '[' ? OBJECT : result);
  }

  /** Returns true if all parameters and the result are primitives. */
  boolean primitive() {
    return parameters.indexOf(OBJECT) < 0 && result != OBJECT && result != 'V';
  }

  /** Returns the IR type of a letter; bytes, shorts and chars are ints, as on the operand stack. */
  static ScalarType type(char letter) {
    return switch (letter) {
      case 'Z' -> ScalarType.BOOL;
      case 'B', 'S', 'C', 'I' -> ScalarType.I32;
      case 'J' -> ScalarType.I64;
      case 'F' -> ScalarType.F32;
      case 'D' -> ScalarType.F64;
      default -> throw new IllegalArgumentException("no primitive type: " + letter);
    };
  }

  /** Number of local variable slots of a value. */
  static int slots(char letter) {
    return letter == 'J' || letter == 'D' ? 2 : 1;
  }
}
