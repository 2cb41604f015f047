package ristretto.kernels.cpu.codegen;

import static org.assertj.core.api.Assertions.fail;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FusedMultiplyAddTest {
  private static final double[] SPECIAL = {
    0,
    -0.0,
    1,
    -1,
    3,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Float.MIN_VALUE,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Float.MIN_NORMAL,
    0x1.fffffep0,
    0x1p-75,
    Double.MIN_VALUE,
    Double.MAX_VALUE,
    Double.MIN_NORMAL,
    0x1p-500,
    0x1p500,
    0x1.fffffffffffffp0
  };

  @Test
  void hasTheBitsOfMathFma() {
    for (double a : SPECIAL) {
      for (double b : SPECIAL) {
        for (double c : SPECIAL) {
          check(a, b, c);
        }
      }
    }
    var random = new Random(1);
    for (int k = 0; k < 1_000_000; k++) {
      int spread = k % 3 == 0 ? 3 : k % 3 == 1 ? 60 : 300;
      double a = number(random, spread);
      double b = number(random, spread);
      double c = k % 4 == 0 ? -a * b * (1 + random.nextInt(5) * 0x1p-52) : number(random, spread);
      check(a, b, c);
    }
  }

  /** Subnormal factors and terms, results that overflow or underflow, terms out of reach. */
  @Test
  void hasTheBitsOfMathFmaForAnyExponents() {
    var random = new Random(2);
    for (int k = 0; k < 1_000_000; k++) {
      check(any(random), any(random), any(random));
      double a = any(random);
      double b = Math.scalb(number(random, 2), -Math.getExponent(a) + random.nextInt(220) - 110);
      check(a, b, number(random, 60));
      check(a, b, Math.scalb(number(random, 60), -1000));
    }
  }

  /** Products that are half way between two values near the term, and their neighbours. */
  @Test
  void hasTheBitsOfMathFmaForTies() {
    var random = new Random(3);
    for (int k = 0; k < 1_000_000; k++) {
      double c = number(random, 3);
      double a = Math.ulp(c) * (random.nextInt(9) - 4);
      double b = 0.5 * (1 + (random.nextInt(5) - 2) * 0x1p-52);
      check(a, b, c);
      check(b, -a * 0.5, c);
      float z = (float) c;
      check(
          Math.ulp(z) * (random.nextInt(9) - 4),
          0.5f * (1 + (random.nextInt(5) - 2) * 0x1p-23f),
          z);
    }
  }

  private static double any(Random random) {
    return Double.longBitsToDouble(random.nextLong());
  }

  private static double number(Random random, int spread) {
    double mantissa = random.nextDouble() - 0.5;
    // Few bits make ties.
    mantissa = random.nextBoolean() ? mantissa : (float) Math.rint(mantissa * 4096) / 4096;
    return Math.scalb(mantissa, random.nextInt(2 * spread) - spread);
  }

  private static void check(double a, double b, double c) {
    if (!same(FusedMultiplyAdd.fma(a, b, c), Math.fma(a, b, c))) {
      fail(a + " * " + b + " + " + c + " is " + Math.fma(a, b, c));
    }
    float x = (float) a;
    float y = (float) b;
    float z = (float) c;
    if (!same(FusedMultiplyAdd.fma(x, y, z), Math.fma(x, y, z))) {
      fail(x + " * " + y + " + " + z + " is " + Math.fma(x, y, z));
    }
  }

  private static boolean same(double a, double b) {
    return Double.doubleToLongBits(a) == Double.doubleToLongBits(b);
  }
}
