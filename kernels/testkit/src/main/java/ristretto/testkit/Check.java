package ristretto.testkit;

import java.util.function.Consumer;
import ristretto.expr.Context;

/**
 * One thing that every device must do.
 *
 * @param name for people
 * @param wide it needs a device that computes in F64
 * @param body throws whatever, best an {@link AssertionError} with inputs, result and expectation
 */
record Check(String name, boolean wide, Body body) {

  /** Returns the largest error, or none where errors are not counted in ulp. */
  interface Body {
    Worst run(Context ctx);
  }

  static Check of(String name, Consumer<Context> body) {
    return new Check(
        name,
        false,
        ctx -> {
          body.accept(ctx);
          return Worst.NONE;
        });
  }

  /** Throws if {@code holds} does not. */
  static void require(boolean holds, String what, Object got, Object expected) {
    if (!holds) {
      throw new AssertionError(what + "\ngot: " + got + "\nexpected: " + expected);
    }
  }
}
