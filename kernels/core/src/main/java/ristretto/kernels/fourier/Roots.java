package ristretto.kernels.fourier;

import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/** Roots of unity {@code exp(-2 pi i k / n)}, each part within one unit in the last place. */
public final class Roots {
  private Roots() {}

  /** Real part of root {@code k} of {@code n}, for {@code 0 <= k}. */
  public static double re(long k, long n) {
    return cosine(k % n, n);
  }

  /** Imaginary part of root {@code k} of {@code n}, for {@code 0 <= k}. */
  public static double im(long k, long n) {
    // -sin(a) = cos(a + pi / 2), in quarters of a step so that the sum is exact.
    return cosine((4 * (k % n) + n) % (4 * n), 4 * n);
  }

  /**
   * Tape of a root: inputs k and n (I64) with {@code 0 <= k <= n}, outputs the real and imaginary
   * part of a type.
   *
   * @param most bound on n; below a quarter of the numbers that the type counts exactly, the angle
   *     is reduced without integer arithmetic, which vector units are slow at
   */
  public static Tape tape(ScalarType type, long most) {
    return most < (type == ScalarType.F32 ? 1L << 21 : 1L << 50) ? quick(type) : exact(type);
  }

  /** Reduces the angle to the nearest quarter of the circle. */
  private static Tape quick(ScalarType type) {
    var tape = new TapeBuilder();
    int n = tape.convert(tape.input(1, ScalarType.I64), type);
    int k = tape.convert(tape.input(0, ScalarType.I64), type);
    int four = tape.apply(Op.MUL, k, tape.constant(type, 4));
    int quarter = tape.apply(Op.RINT, tape.apply(Op.DIV, four, n));
    int rest = tape.apply(Op.SUB, four, tape.apply(Op.MUL, quarter, n));
    int angle = tape.apply(Op.MUL, tape.apply(Op.DIV, rest, n), tape.constant(type, Math.PI / 2));
    int cos = tape.apply(Op.COS, angle);
    int sin = tape.apply(Op.SIN, angle);
    int first = tape.apply(Op.EQ, quarter, tape.constant(type, 1));
    int second = tape.apply(Op.EQ, quarter, tape.constant(type, 2));
    int third = tape.apply(Op.EQ, quarter, tape.constant(type, 3));
    int minusSin = tape.apply(Op.NEG, sin);
    int minusCos = tape.apply(Op.NEG, cos);
    int re = tape.apply(Op.SELECT, third, sin, cos);
    re = tape.apply(Op.SELECT, second, minusCos, re);
    re = tape.apply(Op.SELECT, first, minusSin, re);
    int im = tape.apply(Op.SELECT, third, cos, minusSin);
    im = tape.apply(Op.SELECT, second, sin, im);
    im = tape.apply(Op.SELECT, first, minusCos, im);
    return tape.build(re, im);
  }

  private static Tape exact(ScalarType type) {
    var tape = new TapeBuilder();
    int k = tape.input(0, ScalarType.I64);
    int n = tape.input(1, ScalarType.I64);
    int eight = tape.constant(ScalarType.I64, 8);
    int octant = tape.apply(Op.DIV, tape.apply(Op.MUL, k, eight), n);
    int within = tape.apply(Op.SUB, tape.apply(Op.MUL, k, eight), tape.apply(Op.MUL, octant, n));
    int one = tape.constant(ScalarType.I64, 1);
    int zero = tape.constant(ScalarType.I64, 0);
    int odd = tape.apply(Op.NE, tape.apply(Op.AND, octant, one), zero);
    int part = tape.apply(Op.SELECT, odd, tape.apply(Op.SUB, n, within), within);
    int angle =
        tape.apply(
            Op.MUL,
            tape.apply(Op.DIV, tape.convert(part, type), tape.convert(n, type)),
            tape.constant(type, Math.PI / 4));
    int cos = tape.apply(Op.COS, angle);
    int sin = tape.apply(Op.SIN, angle);
    // The sine is the larger part in octants 1, 2, 5 and 6.
    int turned = tape.apply(Op.ADD, octant, one);
    int exchanged = bit(tape, turned, 2);
    int re = tape.apply(Op.SELECT, exchanged, sin, cos);
    int im = tape.apply(Op.SELECT, exchanged, cos, sin);
    int left = bit(tape, tape.apply(Op.ADD, octant, tape.constant(ScalarType.I64, 2)), 4);
    int below = bit(tape, octant, 4);
    return tape.build(
        tape.apply(Op.SELECT, left, tape.apply(Op.NEG, re), re),
        tape.apply(Op.SELECT, below, im, tape.apply(Op.NEG, im)));
  }

  private static int bit(TapeBuilder tape, int value, int bit) {
    int masked = tape.apply(Op.AND, value, tape.constant(ScalarType.I64, bit));
    return tape.apply(Op.NE, masked, tape.constant(ScalarType.I64, 0));
  }

  /** Cosine of {@code 2 pi k / n}, reduced exactly to an angle of at most pi / 4. */
  private static double cosine(long k, long n) {
    long octant = 8 * k / n;
    long within = 8 * k - octant * n;
    double angle = (octant % 2 == 0 ? within : n - within) * (Math.PI / 4) / n;
    return switch ((int) octant) {
      case 0, 7 -> Math.cos(angle);
      case 1 -> Math.sin(angle);
      case 2 -> -Math.sin(angle);
      case 3, 4 -> -Math.cos(angle);
      case 5 -> -Math.sin(angle);
      default -> Math.sin(angle);
    };
  }
}
