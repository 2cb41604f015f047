package ristretto.kernels.lift;

import ristretto.kernels.lambda.BooleanLambda;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.LongLambda;

/** Static methods of the user's and static final fields. */
final class MethodCorpus {
  private static final float SCALE = (float) Math.sqrt(Integer.parseInt("2"));
  private static final boolean VERBOSE = Boolean.parseBoolean("false");
  private static final char LETTER = "q".charAt(0);
  private static final byte SMALL = Byte.parseByte("-5");
  private static final long BIG = Long.parseLong("9007199254740993");
  static final double PRECISE = Double.parseDouble("0.1");

  private MethodCorpus() {}

  private static float scaled(float v) {
    return v * SCALE;
  }

  private static float poly(float v) {
    return scaled(v) + scaled(v + 1) * Nested.cube(v);
  }

  private static boolean inside(double u, double v) {
    return u * u + v * v <= 1;
  }

  private static boolean outside(double u, double v) {
    return !inside(u, v);
  }

  private static double pick(boolean first, double u, double v) {
    if (first) {
      return u;
    }
    return v;
  }

  private static int narrow(byte b, short s, char c) {
    return b + s * c;
  }

  private static byte low(int v) {
    return (byte) v;
  }

  private static float unused(float a, double b, long c, float d) {
    return d;
  }

  private static class Nested {
    private static float cube(float v) {
      return v * v * v;
    }

    static float twice(float v) {
      return 2 * v;
    }
  }

  private static final class Heir extends Nested {}

  interface Shape {
    double UNIT = Double.parseDouble("2.5");

    static double area(double r) {
      return Math.PI * r * r * UNIT;
    }
  }

  private record Pair(int a, int b) {
    static int sum(int a, int b) {
      return a + b;
    }
  }

  private static <T extends Comparable<T>> Corpus generic(T ignored, float offset) {
    return new Corpus().add("in a generic method", (FloatLambda.ToFloat1) v -> v + offset);
  }

  static Corpus corpus() {
    Runnable[] later = new Runnable[1];
    var corpus = new Corpus();
    later[0] = () -> corpus.add("lambda in a lambda", (FloatLambda.ToFloat1) v -> poly(v) + 1);
    later[0].run();
    return corpus
        .addAll(generic("text", 3f))
        .add("static call", (FloatLambda.ToFloat1) v -> poly(v) - v)
        .add("reference to a private method", (FloatLambda.ToFloat1) MethodCorpus::poly)
        .add("reference to a nested class's method", (FloatLambda.ToFloat1) Nested::cube)
        .add("inherited static method", (FloatLambda.ToFloat1) v -> Heir.twice(v))
        .add("interface's static method", (DoubleLambda.ToDouble1) v -> Shape.area(v))
        .add("record's static method", (IntLambda.ToInt2) Pair::sum)
        .add(
            "boolean results",
            (DoubleLambda.ToInt2) (u, v) -> inside(u, v) ? 1 : outside(v, u / 2) ? 2 : 3)
        .add(
            "boolean arguments",
            (DoubleLambda.ToDouble2) (u, v) -> pick(u < v, v, u) + pick(!inside(u, v), 1, 2))
        .add("boolean reference", (BooleanLambda.ToBoolean2) Boolean::logicalXor)
        .add(
            "narrow parameters",
            (IntLambda.ToInt1) v -> narrow((byte) v, (short) (v >> 3), (char) v))
        .add("narrow result", (IntLambda.ToInt1) v -> low(v) * 2)
        .add("narrow reference", (IntLambda.ToLong1) MethodCorpus::low)
        .add("unused parameters", (FloatLambda.ToFloat2) (u, v) -> unused(u, v, 3, v))
        .add("static final float", (FloatLambda.ToFloat1) v -> v - SCALE)
        .add(
            "static final flag",
            (FloatLambda.ToFloat1) v -> VERBOSE ? Float.parseFloat("1" + v) : v)
        .add("static final small types", (IntLambda.ToInt1) v -> v * SMALL + LETTER)
        .add("static final long", (LongLambda.ToLong1) v -> v ^ BIG)
        .add("static final double", (DoubleLambda.ToDouble1) v -> v * PRECISE + Shape.UNIT)
        .add(
            "constants of the library",
            (FloatLambda.ToFloat1) v -> v == Float.MAX_VALUE ? 1 : (float) Math.E)
        .add(
            "assert",
            (FloatLambda.ToFloat1)
                v -> {
                  assert v == v || v != v : "always true";
                  return v + 1;
                });
  }
}
