package ristretto.testkit;

import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.Context;

/**
 * Conformance check of a device, or several that run together to save compilations.
 *
 * @param name label for users
 * @param wide true if it needs a device that computes in F64
 * @param body throws on failure, preferably an {@link AssertionError} with inputs, result and
 *     expectation
 * @param parts single checks to run if the combined one fails; empty for a single check
 */
record Check(String name, boolean wide, Body body, List<Check> parts) {

  /**
   * Runs the check; returns the largest error, or {@link Worst#NONE} where errors are not measured
   * in ulp.
   */
  interface Body {
    Worst run(Context ctx);
  }

  static Check of(String name, boolean wide, Body body) {
    return new Check(name, wide, body, List.of());
  }

  static Check of(String name, Consumer<Context> body) {
    return of(
        name,
        false,
        ctx -> {
          body.accept(ctx);
          return Worst.NONE;
        });
  }

  int count() {
    return Math.max(1, parts.size());
  }

  /** Throws an {@link AssertionError} with both values unless {@code holds}. */
  static void require(boolean holds, String what, Object got, Object expected) {
    if (!holds) {
      throw new AssertionError(what + "\ngot: " + got + "\nexpected: " + expected);
    }
  }
}
