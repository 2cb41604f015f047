package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThat;

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
    for (int k = 0; k < 300_000; k++) {
      int spread = k % 3 == 0 ? 3 : k % 3 == 1 ? 60 : 300;
      double a = number(random, spread);
      double b = number(random, spread);
      double c = k % 4 == 0 ? -a * b * (1 + random.nextInt(5) * 0x1p-52) : number(random, spread);
      check(a, b, c);
    }
  }

  private static double number(Random random, int spread) {
    double mantissa = random.nextDouble() - 0.5;
    // Few bits make ties.
    mantissa = random.nextBoolean() ? mantissa : (float) Math.rint(mantissa * 4096) / 4096;
    return Math.scalb(mantissa, random.nextInt(2 * spread) - spread);
  }

  private static void check(double a, double b, double c) {
    assertThat(FusedMultiplyAdd.fma(a, b, c))
        .as("%s * %s + %s", a, b, c)
        .isEqualTo((Double) Math.fma(a, b, c));
    float x = (float) a;
    float y = (float) b;
    float z = (float) c;
    assertThat(FusedMultiplyAdd.fma(x, y, z))
        .as("%s * %s + %s", x, y, z)
        .isEqualTo((Float) Math.fma(x, y, z));
  }
}
