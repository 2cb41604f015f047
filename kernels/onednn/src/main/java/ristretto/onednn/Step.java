package ristretto.onednn;

import java.util.List;

/** A primitive of the library with its operands. */
record Step(long primitive, List<Argument> arguments) {
  Step {
    arguments = List.copyOf(arguments);
  }

  /**
   * @param role the library's number for it
   */
  record Argument(int role, long layout, Place place) {}
}
