package ristretto.onednn;

import java.util.List;

/** Primitive of oneDNN with its operands. */
record Step(long primitive, List<Argument> arguments) {
  Step {
    arguments = List.copyOf(arguments);
  }

  /**
   * Operand of a primitive.
   *
   * @param role oneDNN's code of the argument
   */
  record Argument(int role, long layout, Place place) {}
}
