package ristretto.kernels.lift;

import ristretto.kernels.lambda.BooleanLambda;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.LongLambda;

/** Operators, conversions, local variables and captured values. */
final class ArithmeticCorpus {
  private ArithmeticCorpus() {}

  static Corpus corpus() {
    float f = 1.5f;
    double d = -0.1;
    int i = 7;
    long l = 1L << 40;
    boolean z = Boolean.parseBoolean("true");
    byte b = -3;
    short s = 300;
    char c = 'x';
    return new Corpus()
        .add("identity", (FloatLambda.ToFloat1) v -> v)
        .add("constant", (FloatLambda.ToFloat1) v -> 2.5f)
        .add("float + - * / %", (FloatLambda.ToFloat2) (u, v) -> (u + v) * (u - v) / v % 3f)
        .add("float negated", (FloatLambda.ToFloat1) v -> -v + 0f)
        .add("double + - * / %", (DoubleLambda.ToDouble2) (u, v) -> (u + v) * (u - v) / v % u)
        .add("int + - * / %", (IntLambda.ToInt2) (u, v) -> (u + v) * (u - v) / v + u % v)
        .add("long + - * / %", (LongLambda.ToLong2) (u, v) -> (u + v) * (u - v) / v + u % v)
        .add("int division by constants", (IntLambda.ToInt1) v -> v / 3 + v % -5 + v / 1 + v / -1)
        .add("int bits", (IntLambda.ToInt2) (u, v) -> (u & v) ^ (u | ~v) ^ -u)
        .add("long bits", (LongLambda.ToLong2) (u, v) -> (u & v) ^ (u | ~v) ^ -u)
        .add("int shifts", (IntLambda.ToInt2) (u, v) -> (u << v) ^ (u >> v) ^ (u >>> v))
        .add("long shifts", (LongLambda.ToLong2) (u, v) -> (u << v) ^ (u >> v) ^ (u >>> v))
        .add("long shifted by int", (LongLambda.ToLong2) (u, v) -> u << (int) v ^ u >>> 70)
        .add("mixed shifts", (IntLambda.ToLong2) (u, v) -> (long) u << v)
        .add("float to ints", (FloatLambda.ToInt1) v -> (int) v + (byte) v + (short) v + (char) v)
        .add("double to ints", (DoubleLambda.ToInt1) v -> (int) v + (byte) v + (short) v + (char) v)
        .add("float to long", (FloatLambda.ToLong1) v -> (long) v)
        .add("double to long", (DoubleLambda.ToLong1) v -> (long) v)
        .add("int to narrow ints", (IntLambda.ToInt1) v -> (byte) v * 3 + (short) v + (char) v)
        .add("long to ints", (LongLambda.ToInt1) v -> (int) v + (byte) v + (short) v + (char) v)
        .add("int to float", (IntLambda.ToFloat1) v -> v)
        .add("int to double", (IntLambda.ToDouble1) v -> v)
        .add("long to float", (LongLambda.ToFloat1) v -> v)
        .add("long to double", (LongLambda.ToDouble1) v -> v)
        .add("int to float by double", (IntLambda.ToFloat1) v -> (float) (double) v)
        .add("float to double", (FloatLambda.ToDouble1) v -> v)
        .add("double to float", (DoubleLambda.ToFloat1) v -> (float) v)
        .add("double arithmetic rounded", (FloatLambda.ToFloat2) (u, v) -> (float) ((double) u * v))
        .add(
            "double sums rounded", (FloatLambda.ToFloat3) (u, v, w) -> (float) ((double) u + v + w))
        .add("captured float", (FloatLambda.ToFloat1) v -> v * f)
        .add("captured double", (FloatLambda.ToFloat1) v -> (float) (v * d))
        .add("captured int and long", (IntLambda.ToLong1) v -> v * i + l)
        .add("captured boolean", (FloatLambda.ToFloat1) v -> z ? v : -v)
        .add("captured byte, short, char", (IntLambda.ToInt1) v -> (v * b + s) ^ c)
        .add("captured of all kinds", (DoubleLambda.ToDouble1) v -> z ? v * f + d * i : v - l + b)
        .add("four inputs", (FloatLambda.ToFloat4) (p, q, r, t) -> p * q - r / t)
        .add("four longs", (LongLambda.ToLong4) (p, q, r, t) -> p * q - (r ^ t))
        .add("element number", (FloatLambda.Indexed) (v, k) -> v * k + i)
        .add("element number of longs", (LongLambda.Indexed) (v, k) -> v ^ k << 3)
        .add(
            "local variables",
            (DoubleLambda.ToDouble2)
                (u, v) -> {
                  double sum = u + v;
                  long rounded = (long) sum;
                  sum *= rounded;
                  int low = (int) rounded;
                  low++;
                  low -= 3;
                  return sum + low;
                })
        .add(
            "assignments as values",
            (LongLambda.ToLong2)
                (u, v) -> {
                  long x;
                  long y = x = u * v;
                  long old = x++;
                  y += ++x + old;
                  return x ^ y;
                })
        .add(
            "swapped",
            (FloatLambda.ToFloat2)
                (u, v) -> {
                  float t = u;
                  u = v;
                  v = t;
                  return u - 2 * v;
                })
        .add("boolean logic", (BooleanLambda.ToBoolean2) (u, v) -> u & !v | u ^ v)
        .add("boolean to numbers", (BooleanLambda.ToFloat1) v -> v ? 1.5f : -1f)
        .add("booleans compared", (BooleanLambda.ToBoolean2) (u, v) -> u == v)
        .add("booleans unequal", (BooleanLambda.ToInt2) (u, v) -> u != v ? 3 : 4)
        .add("boolean constant", (IntLambda.ToBoolean1) v -> true);
  }
}
