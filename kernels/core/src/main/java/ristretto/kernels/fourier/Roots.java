package ristretto.kernels.fourier;

import ristretto.kernels.math.QuarterCircle;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/** Roots of unity {@code exp(-2 pi i k / n)}, each part within two units in the last place. */
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
   * Returns true if the tape reduces the angle without integer arithmetic, which vector units are
   * slow at: below a quarter of the numbers that the type counts exactly.
   */
  public static boolean isQuick(ScalarType type, long n) {
    return n < (type == ScalarType.F32 ? 1L << 21 : 1L << 50);
  }

  /**
   * Tape of a root: inputs k and n (I64) with {@code 0 <= k <= n}, outputs the real and imaginary
   * part of a type.
   *
   * @param most bound on n; the tape depends on {@link #isQuick} of it only
   */
  public static Tape tape(ScalarType type, long most) {
    return isQuick(type, most) ? quick(type) : exact(type);
  }

  /** Reduces the angle to the nearest quarter of the circle. */
  private static Tape quick(ScalarType type) {
    var tape = new TapeBuilder();
    int n = tape.convert(tape.input(1, ScalarType.I64), type);
    int k = tape.convert(tape.input(0, ScalarType.I64), type);
    int inverse = tape.apply(Op.DIV, tape.constant(type, 1), n);
    int four = tape.apply(Op.MUL, k, tape.constant(type, 4));
    int quarter = tape.apply(Op.RINT, tape.apply(Op.MUL, four, inverse));
    int rest = tape.apply(Op.SUB, four, tape.apply(Op.MUL, quarter, n));
    int unit = tape.apply(Op.MUL, inverse, tape.constant(type, Math.PI / 2));
    var wave = QuarterCircle.of(tape, type, tape.apply(Op.MUL, rest, unit));
    int exchanged = near(tape, type, quarter, 2, Op.EQ);
    int re = tape.apply(Op.SELECT, exchanged, wave.sine(), wave.cosine());
    int im = tape.apply(Op.SELECT, exchanged, wave.cosine(), wave.sine());
    int left = near(tape, type, quarter, 1.5, Op.LT);
    int above = near(tape, type, quarter, 2.5, Op.LT);
    return tape.build(
        tape.apply(Op.SELECT, left, tape.apply(Op.NEG, re), re),
        tape.apply(Op.SELECT, above, im, tape.apply(Op.NEG, im)));
  }

  /** Compares the distance of a number from another one with 1. */
  private static int near(TapeBuilder tape, ScalarType type, int x, double to, Op comparison) {
    int distance = tape.apply(Op.ABS, tape.apply(Op.SUB, x, tape.constant(type, to)));
    return tape.apply(comparison, distance, tape.constant(type, 1));
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
