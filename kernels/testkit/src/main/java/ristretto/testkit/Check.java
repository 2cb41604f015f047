package ristretto.testkit;

import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.Context;

/**
 * One thing that every device must do, or several that are tried together because that is quicker.
 *
 * @param name for people
 * @param wide it needs a device that computes in F64
 * @param body throws whatever, best an {@link AssertionError} with inputs, result and expectation
 * @param parts each by itself, for when they fail together; empty for one thing
 */
record Check(String name, boolean wide, Body body, List<Check> parts) {

  /** Returns the largest error, or none where errors are not counted in ulp. */
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

  /** Throws if {@code holds} does not. */
  static void require(boolean holds, String what, Object got, Object expected) {
    if (!holds) {
      throw new AssertionError(what + "\ngot: " + got + "\nexpected: " + expected);
    }
  }
}
