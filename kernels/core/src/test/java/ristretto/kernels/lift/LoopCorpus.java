package ristretto.kernels.lift;

import ristretto.kernels.lambda.BooleanLambda;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.LongLambda;

/** Loops of all forms. */
final class LoopCorpus {
  private LoopCorpus() {}

  private static int escape(float x, float y, int limit) {
    float a = 0;
    float b = 0;
    int n = 0;
    while (n < limit && a * a + b * b < 4) {
      float t = a * a - b * b + x;
      b = 2 * a * b + y;
      a = t;
      n++;
    }
    return n;
  }

  private static float newton(float v) {
    float r = v;
    for (int k = 0; k < 40; k++) {
      float next = 0.5f * (r + v / r);
      if (next == r) {
        return r;
      }
      r = next;
    }
    return r;
  }

  private static float polynomial(float v, int degree) {
    float sum = 0;
    for (int k = 0; k < degree; k++) {
      sum = sum * v + 1f / (k + 1);
    }
    return sum;
  }

  private static int collatz(int v) {
    int steps = 0;
    // Never ends for 0.
    while (v != 1 && steps < 500) {
      v = (v & 1) == 0 ? v >> 1 : 3 * v + 1;
      if (v == 0) {
        steps--;
      }
      steps++;
    }
    return steps;
  }

  private static boolean prime(int v) {
    if (v < 2) {
      return false;
    }
    for (int d = 2; d * d <= v && d < 100; d++) {
      if (v % d == 0) {
        return false;
      }
    }
    return true;
  }

  static Corpus corpus() {
    int n = 5;
    float q = 0.5f;
    return new Corpus()
        .add(
            "power",
            (FloatLambda.ToFloat1)
                v -> {
                  float r = 1;
                  for (int k = 0; k < n; k++) {
                    r *= v * q;
                  }
                  return r;
                })
        .add("polynomial", (FloatLambda.ToFloat1) v -> polynomial(v, 5))
        .add(
            "constant nest",
            (IntLambda.ToInt1)
                v -> {
                  int sum = v;
                  for (int i = 0; i < 3; i++) {
                    for (int j = i; j < 3; j++) {
                      if (sum > 10 * i) {
                        continue;
                      }
                      sum += i * j - 1;
                    }
                  }
                  return sum;
                })
        .add(
            "while",
            (IntLambda.ToInt1)
                v -> {
                  int r = 0;
                  while (v != 0) {
                    r += v & 1;
                    v >>>= 1;
                  }
                  return r;
                })
        .add(
            "do while",
            (LongLambda.ToInt1)
                v -> {
                  int digits = 0;
                  do {
                    digits++;
                    v /= 10;
                  } while (v != 0);
                  return digits;
                })
        .add(
            "gcd",
            (LongLambda.ToLong2)
                (u, v) -> {
                  while (v != 0) {
                    long t = u % v;
                    u = v;
                    v = t;
                  }
                  return u;
                })
        .add("escape", (FloatLambda.ToInt2) (x, y) -> escape(x, y, 50))
        .add(
            "escape as part of an expression",
            (FloatLambda.ToFloat2) (x, y) -> 1f - escape(x, y, 20) / 20f)
        .add("newton", (FloatLambda.ToFloat1) LoopCorpus::newton)
        .add(
            "loop only where it ends",
            (IntLambda.ToInt1) v -> v > 0 && v < 10_000 ? collatz(v) : -1)
        .add("prime", (IntLambda.ToBoolean1) LoopCorpus::prime)
        .add("prime or small", (IntLambda.ToInt1) v -> v < 0 || prime(v) ? 1 : 0)
        .add(
            "break and continue",
            (IntLambda.ToInt1)
                v -> {
                  int sum = 0;
                  for (int k = 0; k < 30; k++) {
                    if ((k ^ v) % 3 == 0) {
                      continue;
                    }
                    sum += k;
                    if (sum > 50) {
                      sum = -sum;
                      break;
                    }
                    sum ^= v & 7;
                  }
                  return sum * 2;
                })
        .add(
            "nested loops",
            (IntLambda.ToLong2)
                (u, v) -> {
                  long sum = 0;
                  for (int i = 0; i < (u & 7); i++) {
                    for (int j = i; j < (v & 7); j++) {
                      sum += (long) i * j + u;
                    }
                    sum ^= i;
                  }
                  return sum;
                })
        .add(
            "nested while",
            (IntLambda.ToInt2)
                (u, v) -> {
                  int a = u & 63;
                  int count = 0;
                  while (a > 0) {
                    while (a > (v & 15)) {
                      a -= 5;
                      count++;
                    }
                    a--;
                  }
                  return count * 100 + a;
                })
        .add(
            "labelled continue",
            (IntLambda.ToInt1)
                v -> {
                  int count = 0;
                  outer:
                  for (int i = 2; i < 30; i++) {
                    for (int j = 2; j < i; j++) {
                      if (i % j == 0) {
                        continue outer;
                      }
                      if (i + j == (v & 31)) {
                        break outer;
                      }
                    }
                    count += i;
                  }
                  return count;
                })
        .add(
            "return from nested loops",
            (IntLambda.ToInt1)
                v -> {
                  for (int i = 1; i < 12; i++) {
                    for (int j = i; j < 12; j++) {
                      if (i * i + j * j == (v & 127)) {
                        return 100 * i + j;
                      }
                    }
                  }
                  return -1;
                })
        .add(
            "loop in a branch",
            (DoubleLambda.ToDouble1)
                v -> {
                  double r = v;
                  if (v > 1 && v < 1e6) {
                    while (r > 1) {
                      r /= 2;
                    }
                    r += 0.25;
                  } else {
                    r = -1;
                  }
                  return r * 3;
                })
        .add(
            "two loops",
            (LongLambda.ToLong1)
                v -> {
                  long r = v;
                  for (int k = 0; k < 3; k++) {
                    r = r * 31 + k;
                  }
                  long s = r > 0 ? 1 : -1;
                  for (int k = 3; k > 0; k--) {
                    s += r >> k;
                  }
                  return s;
                })
        .add(
            "boolean carried round",
            (FloatLambda.ToBoolean2)
                (u, v) -> {
                  boolean odd = false;
                  for (int k = 0; k < 9; k++) {
                    odd ^= u > k;
                    if (v < k && !odd) {
                      odd = u < v;
                    }
                  }
                  return odd;
                })
        .add(
            "parameters changed",
            (BooleanLambda.ToInt1)
                v -> {
                  int r = 0;
                  for (int k = 0; k < 3; k++) {
                    r = 2 * r + (v ? 1 : 0);
                    v = !v;
                  }
                  return r;
                })
        .add(
            "value on the stack round a branch",
            (FloatLambda.ToFloat2)
                (u, v) -> {
                  float r = 0;
                  for (int k = 0; k < 4; k++) {
                    r = r * 2 + (u > k ? u : v > k ? v : r);
                  }
                  return r;
                })
        .add(
            "loop in an argument",
            (FloatLambda.ToFloat2)
                (u, v) -> Math.max(newton(u), u > v ? newton(v) : escape(u, v, 3)))
        .add(
            "loop in a loop by a call",
            (IntLambda.ToInt1)
                v -> {
                  int sum = 0;
                  for (int k = 1; k < 4; k++) {
                    if (v > k) {
                      sum += collatz(v & 1023 | 1);
                    }
                  }
                  return sum;
                })
        .add(
            "endless but for a return",
            (IntLambda.ToInt1)
                v -> {
                  int r = v;
                  for (; ; ) {
                    r = r * 1664525 + 1013904223;
                    if ((r & 15) == 3) {
                      return r;
                    }
                    r ^= 16;
                  }
                })
        .add(
            "same slot, other types",
            (DoubleLambda.ToDouble1)
                v -> {
                  double sum = 0;
                  for (int k = 0; k < 3; k++) {
                    double t = v * k;
                    sum += t;
                  }
                  for (long k = 0; k < 3; k++) {
                    float t = (float) v;
                    sum -= t * k;
                  }
                  return sum;
                })
        .add(
            "switch in a loop",
            (IntLambda.ToInt1)
                v -> {
                  int r = 1;
                  for (int k = 0; k < 8; k++) {
                    switch (v >> k & 3) {
                      case 0:
                        r += 5;
                        continue;
                      case 1:
                        r *= 3;
                        break;
                      case 2:
                        return r;
                      default:
                        r--;
                    }
                    r ^= k;
                  }
                  return -r;
                });
  }
}
