import module java.base;
import module ristretto.expr;

import static ristretto.expr.Ops.*;

/** Counts and compares the results of Api.java. */
final class Checks {
  static Context ctx;
  private static int checks;
  private static int wrong;

  private Checks() {}

  static void check(String name, boolean right, Object got) {
    checks++;
    if (!right) {
      wrong++;
      IO.println("wrong: " + name + " gave " + got);
    }
  }

  /** Checks the values in row-major order, with a tolerance of 1e-5 (1 + |expected|). */
  static void same(String name, Expr<?> e, double... expected) {
    double[] got = values(e);
    boolean right = got.length == expected.length;
    for (int k = 0; right && k < got.length; k++) {
      double a = got[k];
      double b = expected[k];
      right =
          a == b
              || Double.isNaN(a) && Double.isNaN(b)
              || Math.abs(a - b) <= 1e-5 * (1 + Math.abs(b));
    }
    check(name, right, Arrays.toString(got));
  }

  @SuppressWarnings("unchecked")
  static <T> double[] values(Expr<T> e) {
    Tensor<T> t = ctx.eval(e);
    Object dtype = t.dtype();
    if (dtype == F32) {
      float[] some = t.toFloatArray();
      return IntStream.range(0, some.length).mapToDouble(k -> some[k]).toArray();
    }
    if (dtype == F64) {
      return t.toDoubleArray();
    }
    if (dtype == I64) {
      return Arrays.stream(t.toLongArray()).asDoubleStream().toArray();
    }
    if (dtype == I32) {
      return Arrays.stream(t.toIntArray()).asDoubleStream().toArray();
    }
    if (dtype == BOOL) {
      boolean[] some = t.toBooleanArray();
      return IntStream.range(0, some.length).mapToDouble(k -> some[k] ? 1 : 0).toArray();
    }
    return values(cast(t, I64));
  }

  static <X extends Throwable> void fails(String name, Class<X> kind, String part, Runnable body) {
    try {
      body.run();
      check(name, false, "no exception");
    } catch (Throwable e) {
      check(name, kind.isInstance(e) && e.getMessage().contains(part), e);
    }
  }

  /** Prints the result line, or ends the process with 1 if a result was wrong. */
  static void report() {
    if (wrong > 0) {
      System.exit(1);
    }
    IO.println("result: checks=" + checks);
  }
}
