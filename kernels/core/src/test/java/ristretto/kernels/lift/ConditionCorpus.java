package ristretto.kernels.lift;

import ristretto.kernels.lambda.BooleanLambda;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.LongLambda;

/** Comparisons, ternaries, short-circuit conditions, if and switch. */
final class ConditionCorpus {
  private ConditionCorpus() {}

  @SuppressWarnings("fallthrough") // on purpose: lambdas may do it
  static Corpus corpus() {
    float limit = 2f;
    return new Corpus()
        .add("float <", (FloatLambda.ToBoolean2) (u, v) -> u < v)
        .add("float <=", (FloatLambda.ToBoolean2) (u, v) -> u <= v)
        .add("float >", (FloatLambda.ToBoolean2) (u, v) -> u > v)
        .add("float >=", (FloatLambda.ToBoolean2) (u, v) -> u >= v)
        .add("float ==", (FloatLambda.ToBoolean2) (u, v) -> u == v)
        .add("float !=", (FloatLambda.ToBoolean2) (u, v) -> u != v)
        .add("not float <", (FloatLambda.ToBoolean2) (u, v) -> !(u < v))
        .add("not float >=", (DoubleLambda.ToBoolean2) (u, v) -> !(u >= v))
        .add("double <", (DoubleLambda.ToInt2) (u, v) -> u < v ? 1 : 2)
        .add("double >=", (DoubleLambda.ToInt2) (u, v) -> u >= v ? 1 : 2)
        .add(
            "int comparisons", (IntLambda.ToInt2) (u, v) -> u < v ? 1 : u <= v ? 2 : u != v ? 3 : 4)
        .add("int with zero", (IntLambda.ToInt1) v -> v < 0 ? -1 : v > 0 ? 1 : v == 0 ? 0 : 5)
        .add("long comparisons", (LongLambda.ToInt2) (u, v) -> u < v ? 1 : u >= v ? 2 : 3)
        .add("long ==", (LongLambda.ToBoolean2) (u, v) -> u == v || u == -v)
        .add("relu", (FloatLambda.ToFloat1) v -> v > 0f ? v : 0f)
        .add("clip", (FloatLambda.ToFloat1) v -> v < -limit ? -limit : v > limit ? limit : v)
        .add("both", (FloatLambda.ToFloat2) (u, v) -> u > 0 && v > 0 ? u : v)
        .add("either", (FloatLambda.ToFloat2) (u, v) -> u > 0 || v > 0 ? u : v)
        .add("mixed", (FloatLambda.ToFloat3) (u, v, w) -> u > 0 && v > 0 || w > 0 ? u : v)
        .add(
            "mixed the other way",
            (FloatLambda.ToFloat3) (u, v, w) -> (u > 0 || v > 0) && w > 0 ? u : v)
        .add("not both", (FloatLambda.ToBoolean2) (u, v) -> !(u > 0 && v < 1))
        .add("short circuit of booleans", (BooleanLambda.ToBoolean3) (u, v, w) -> u && v || !w)
        .add(
            "condition as value", (FloatLambda.ToInt2) (u, v) -> (u < v ? 1 : 0) + (u == v ? 1 : 0))
        .add(
            "boolean variable",
            (FloatLambda.ToFloat2)
                (u, v) -> {
                  boolean less = u < v;
                  boolean both = less & v > 0;
                  both |= u == 7;
                  return both ? u : less ? v : 0f;
                })
        .add("boolean chosen", (FloatLambda.ToBoolean2) (u, v) -> u > 0 ? v > 0 : v < 0)
        .add(
            "nested ternaries",
            (IntLambda.ToInt2) (u, v) -> u > v ? u > 10 ? 1 : v > 5 ? 2 : 3 : v > 10 ? 4 : 5)
        .add(
            "ternary inside arithmetic",
            (FloatLambda.ToFloat2) (u, v) -> 2 * (u > v ? u : v) + (u < 0 ? 1 : v))
        .add("ternary as condition", (IntLambda.ToInt2) (u, v) -> (u > 3 ? v > 3 : v < 3) ? 8 : 9)
        .add(
            "if without else",
            (FloatLambda.ToFloat1)
                v -> {
                  float r = v;
                  if (v < 0) {
                    r = -v;
                  }
                  if (r > 100) {
                    r = 100;
                    r += 1 / v;
                  }
                  return r;
                })
        .add(
            "early returns",
            (FloatLambda.ToFloat2)
                (u, v) -> {
                  if (u < 0) {
                    return -1;
                  }
                  if (v < 0) {
                    return -2;
                  }
                  float w = u * v;
                  if (w > 10) {
                    return w;
                  }
                  return u + v;
                })
        .add(
            "if else chain",
            (IntLambda.ToInt1)
                v -> {
                  int r;
                  int s = 3;
                  if (v < -100) {
                    r = v / 2;
                  } else if (v < 0) {
                    r = -v;
                    s = v;
                  } else if (v == 0) {
                    r = 42;
                  } else {
                    int w = v * v;
                    r = w - 1;
                    s += w;
                  }
                  return r * s;
                })
        .add(
            "switch expression",
            (IntLambda.ToInt1)
                v ->
                    switch (v) {
                      case 0 -> 10;
                      case 1, 2 -> 20 + v;
                      case -7 -> v * v;
                      default -> -1;
                    })
        .add(
            "sparse switch",
            (IntLambda.ToDouble1)
                v ->
                    switch (v) {
                      case -1 -> 0.5;
                      case 255, 65_536 -> v;
                      case Integer.MAX_VALUE -> -1.5;
                      case Integer.MIN_VALUE -> Double.NaN;
                      default -> v / 2.0;
                    })
        .add(
            "switch that falls through",
            (IntLambda.ToInt1)
                v -> {
                  int r = 0;
                  switch (v & 3) {
                    case 0:
                      r += 1;
                    case 1:
                      r += 10;
                      break;
                    case 2:
                      r += 100;
                    default:
                      r += 1000;
                  }
                  return r;
                })
        .add(
            "switch that returns",
            (LongLambda.ToLong1)
                v -> {
                  switch ((int) (v % 5)) {
                    case 0:
                      return v;
                    case 1:
                    case 2:
                      return -v;
                    default:
                      break;
                  }
                  return 3 * v;
                })
        .add(
            "switch over char",
            (IntLambda.ToInt1)
                v ->
                    switch ((char) v) {
                      case 'a', '!' -> 1;
                      case '\u00ff' -> 2;
                      default -> 3;
                    })
        .add(
            "switch in switch",
            (IntLambda.ToInt2)
                (u, v) ->
                    switch (u & 1) {
                      case 0 ->
                          switch (v) {
                            case 1 -> 1;
                            case 2 -> u;
                            default -> 2;
                          };
                      default -> v > 0 ? 3 : 4;
                    })
        .add("min as a ternary keeps NaN rules", (DoubleLambda.ToDouble2) (u, v) -> u < v ? u : v)
        .add("sign of zero", (FloatLambda.ToBoolean1) v -> 1 / v < 0)
        .add("is NaN", (DoubleLambda.ToBoolean1) v -> v != v)
        .add("is not NaN", (DoubleLambda.ToBoolean1) v -> v == v);
  }
}
