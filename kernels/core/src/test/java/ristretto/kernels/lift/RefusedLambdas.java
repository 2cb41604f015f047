package ristretto.kernels.lift;

import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lambda.LongLambda;

/**
 * Lambdas that cannot be lifted. The line that the message must name ends with the lambda's name.
 */
final class RefusedLambdas {
  private static float rate = 2;
  private static final float[] TABLE = {1, 2};
  private final float field = rate;

  private final Map<String, Lambda> lambdas = new LinkedHashMap<>();

  static Map<String, Lambda> lambdas() {
    var refused = new RefusedLambdas();
    refused.arrays(new float[3]);
    refused.objects("text", 4f);
    refused.statements(new Object());
    refused.fields();
    refused.calls("text");
    return refused.lambdas;
  }

  private void add(String name, FloatLambda.ToFloat1 lambda) {
    lambdas.put(name, lambda);
  }

  private void add(String name, Lambda lambda) {
    lambdas.put(name, lambda);
  }

  private void arrays(float[] table) {
    add("array-read", v -> v * table[1]); // array-read
    add("array-length", v -> v * table.length); // array-length
    add(
        "array-write",
        v -> {
          table[0] = v; // array-write
          return v;
        });
    add("array-new", v -> new float[] {v}[0]); // array-new
    add("array-of-objects", v -> v + new String[2].length); // array-of-objects
    add("array-of-arrays", v -> v + new int[2][3].length); // array-of-arrays
  }

  private void objects(Object object, Float boxed) {
    add("new", v -> new StringBuilder().length() + v); // new
    add("string", v -> "abc".length() + v); // string
    add("null", v -> object == null ? v : 0); // null
    add("same", v -> object == boxed ? v : 0); // same
    add("instanceof", v -> object instanceof String ? v : 0); // instanceof
    add("cast", v -> ((Integer) object) + v); // cast
    add("unboxing", v -> boxed + v); // unboxing
    add("boxing", v -> same(v)); // boxing
    add("inner-lambda", v -> apply(x -> x, v)); // inner-lambda
    add(
        "pattern-switch",
        v ->
            switch (object) { // pattern-switch
              case String _ -> v;
              case Integer _ -> 2 * v;
              default -> 0;
            });
  }

  private void statements(Object lock) {
    add(
        "throw",
        v -> {
          if (v < 0) {
            throw new IllegalArgumentException(); // throw
          }
          return v;
        });
    add(
        "try",
        v -> {
          try {
            return 1 / v; // try
          } catch (ArithmeticException e) {
            return 0;
          }
        });
    add(
        "synchronized",
        v -> {
          synchronized (lock) { // synchronized
            return v;
          }
        });
    add(
        "endless",
        v -> {
          float r = v;
          while (true) {
            r += v; // endless
          }
        });
  }

  private void fields() {
    add("field", v -> v * field); // field
    add("static-field", v -> v * rate); // static-field
    add("static-object", v -> v * TABLE[0]); // static-object
    add(
        "static-write",
        v -> {
          rate = v; // static-write
          return v;
        });
  }

  private void calls(String text) {
    add("instance-call", v -> v + scale(v)); // instance-call
    add("string-call", v -> v + text.length()); // string-call
    add("object-call", v -> v + Float.parseFloat(text)); // object-call
    add("void-call", v -> nothing(v)); // void-call by
    add("random", (DoubleLambda.ToDouble1) v -> v + Math.random()); // random
    add("exact", (IntLambda.ToInt2) (u, v) -> Math.addExact(u, v)); // exact
    add("native", (LongLambda.ToLong1) v -> v + System.nanoTime()); // native
    add("recursion", (IntLambda.ToInt1) v -> factorial(v)); // recursion by
    add("mutual", (IntLambda.ToBoolean1) v -> even(v)); // mutual by
    add("nested", v -> outer(v)); // nested by
    add("exponential", v -> f7(v)); // exponential by
    add("reference", this::scale);
    add("reference-to-objects", (FloatLambda.ToFloat1) RefusedLambdas::same);
    add("reference-to-library", (IntLambda.ToInt2) Math::addExact);
    add(
        "no-lambda",
        new FloatLambda.ToFloat1() {
          @Override
          public float apply(float v) {
            return v;
          }
        });
  }

  private float scale(float v) {
    return v * field;
  }

  private static Float same(Float v) {
    return v;
  }

  private static float nothing(float v) {
    Thread.yield(); // void-call
    return v;
  }

  private static float apply(FloatLambda.ToFloat1 f, float v) {
    return f.apply(v);
  }

  private static int factorial(int v) {
    return v < 2 ? 1 : v * factorial(v - 1); // recursion
  }

  private static boolean even(int v) {
    return v == 0 || odd(v - 1); // mutual through
  }

  private static boolean odd(int v) {
    return v != 0 && even(v - 1); // mutual
  }

  private static float outer(float v) {
    float r = v;
    for (int k = 0; k < 3; k++) {
      r += inner(r, k); // nested through
    }
    return r;
  }

  private static float inner(float v, int k) {
    return k > 1 ? v : v + TABLE.length; // nested
  }

  private static float f1(float v) {
    return v * v - v / 3 + v * v - v / 3 + v * v - v / 3 + v * v - v / 3; // exponential
  }

  private static float f2(float v) {
    return f1(v) + f1(v + 1) + f1(v + 2) + f1(v + 3) + f1(v + 4) + f1(v + 5); // f2
  }

  private static float f3(float v) {
    return f2(v) + f2(v + 1) + f2(v + 2) + f2(v + 3) + f2(v + 4) + f2(v + 5); // f3
  }

  private static float f4(float v) {
    return f3(v) + f3(v + 1) + f3(v + 2) + f3(v + 3) + f3(v + 4) + f3(v + 5); // f4
  }

  private static float f5(float v) {
    return f4(v) + f4(v + 1) + f4(v + 2) + f4(v + 3) + f4(v + 4) + f4(v + 5); // f5
  }

  private static float f6(float v) {
    return f5(v) + f5(v + 1) + f5(v + 2) + f5(v + 3) + f5(v + 4) + f5(v + 5); // f6
  }

  private static float f7(float v) {
    return f6(v) + f6(v + 1) + f6(v + 2) + f6(v + 3) + f6(v + 4) + f6(v + 5); // f7
  }
}
