package ristretto.kernels.fourier;

import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Tapes of the passes of a transform. A pass of radix r has the inputs {@code re[r], im[r]}, then
 * its factors, and the outputs {@code re[r], im[r]}: the transform of the r elements, times the
 * factors.
 */
public final class Butterfly {
  /** Factors of the outputs of a pass. */
  public enum Factor {
    /** No inputs: the outputs are unchanged. */
    NONE,
    /** One input: a real number. */
    SCALE,
    /** Inputs {@code re, im} for each output but the first: complex numbers. */
    TWIDDLES
  }

  private static final double SQRT_HALF = Math.sqrt(0.5);

  private final ScalarType type;
  private final TapeBuilder tape = new TapeBuilder();

  private Butterfly(ScalarType type) {
    this.type = type;
  }

  /** Complex number: the rows of its parts. */
  private record Row(int re, int im) {}

  /** Number of inputs of a pass. */
  public static int inputs(int radix, Factor factor) {
    return 2 * radix
        + switch (factor) {
          case NONE -> 0;
          case SCALE -> 1;
          case TWIDDLES -> 2 * (radix - 1);
        };
  }

  /** Tape of a pass. */
  public static Tape of(ScalarType type, int radix, Factor factor) {
    return of(type, radix, factor, 1, true, true);
  }

  /**
   * Tape of a pass whose outputs are multiplied by a constant too.
   *
   * @param re false without inputs for the real parts, which are zeros
   * @param im false without inputs for the imaginary parts, which are zeros
   */
  public static Tape of(
      ScalarType type, int radix, Factor factor, double scale, boolean re, boolean im) {
    return new Butterfly(type).pass(radix, factor, scale, re, im);
  }

  private Tape pass(int radix, Factor factor, double constant, boolean re, boolean im) {
    Row[] x = new Row[radix];
    int slots = 0;
    int zero = tape.constant(type, 0);
    for (int plane = 0; plane < 2; plane++) {
      boolean present = plane == 0 ? re : im;
      for (int k = 0; k < radix; k++) {
        int row = present ? tape.input(slots++, type) : zero;
        x[k] = plane == 0 ? new Row(row, zero) : new Row(x[k].re, row);
      }
    }
    Row[] y = transform(x);
    int[] outputs = new int[2 * radix];
    for (int k = 0; k < radix; k++) {
      Row scaled =
          switch (factor) {
            case NONE -> constant == 1 ? y[k] : times(y[k], tape.constant(type, constant));
            case SCALE -> times(y[k], tape.input(slots, type));
            case TWIDDLES -> {
              int slot = slots + 2 * k - 2;
              yield k == 0
                  ? y[k]
                  : times(y[k], new Row(tape.input(slot, type), tape.input(slot + 1, type)));
            }
          };
      outputs[k] = scaled.re;
      outputs[radix + k] = scaled.im;
    }
    return tape.build(outputs);
  }

  /** Tape of a product of three complex numbers: inputs {@code re, im} of each. */
  public static Tape product(ScalarType type) {
    var b = new Butterfly(type);
    Row[] x = new Row[3];
    for (int k = 0; k < 3; k++) {
      x[k] = new Row(b.tape.input(2 * k, type), b.tape.input(2 * k + 1, type));
    }
    Row y = b.times(x[0], b.times(x[1], x[2]));
    return b.tape.build(y.re, y.im);
  }

  private Row[] transform(Row[] x) {
    int n = x.length;
    if (n == 1) {
      return x;
    }
    if (n % 2 != 0) {
      return odd(x);
    }
    Row[] even = new Row[n / 2];
    Row[] odd = new Row[n / 2];
    for (int k = 0; k < n / 2; k++) {
      even[k] = x[2 * k];
      odd[k] = x[2 * k + 1];
    }
    even = transform(even);
    odd = transform(odd);
    Row[] y = new Row[n];
    for (int k = 0; k < n / 2; k++) {
      Row turned = turned(odd[k], k, n);
      y[k] = apply(Op.ADD, even[k], turned);
      y[k + n / 2] = apply(Op.SUB, even[k], turned);
    }
    return y;
  }

  /** Product with root {@code k} of {@code n}, for {@code k < n / 2}. */
  private Row turned(Row x, int k, int n) {
    if (k == 0) {
      return x;
    }
    if (4 * k == n) {
      return new Row(x.im, tape.apply(Op.NEG, x.re));
    }
    if (8 * k == n || 8 * k == 3 * n) {
      int half = tape.constant(type, SQRT_HALF);
      int sum = times(tape.apply(Op.ADD, x.im, x.re), half);
      int difference = times(tape.apply(Op.SUB, x.im, x.re), half);
      return 8 * k == n ? new Row(sum, difference) : new Row(difference, tape.apply(Op.NEG, sum));
    }
    return times(
        x, new Row(tape.constant(type, Roots.re(k, n)), tape.constant(type, Roots.im(k, n))));
  }

  /** Transform of an odd length, from sums and differences of elements at opposite places. */
  private Row[] odd(Row[] x) {
    int n = x.length;
    int half = n / 2;
    Row[] sum = new Row[half + 1];
    Row[] difference = new Row[half + 1];
    Row all = x[0];
    for (int j = 1; j <= half; j++) {
      sum[j] = apply(Op.ADD, x[j], x[n - j]);
      difference[j] = apply(Op.SUB, x[j], x[n - j]);
      all = apply(Op.ADD, all, sum[j]);
    }
    Row[] y = new Row[n];
    y[0] = all;
    for (int k = 1; k <= half; k++) {
      Row even = x[0];
      Row odd = null;
      for (int j = 1; j <= half; j++) {
        int cosine = tape.constant(type, Roots.re((long) j * k, n));
        int sine = tape.constant(type, -Roots.im((long) j * k, n));
        even =
            new Row(
                tape.apply(Op.ADD, even.re, times(sum[j].re, cosine)),
                tape.apply(Op.ADD, even.im, times(sum[j].im, cosine)));
        Row term = new Row(times(difference[j].re, sine), times(difference[j].im, sine));
        odd = odd == null ? term : apply(Op.ADD, odd, term);
      }
      // even - i odd
      y[k] = new Row(tape.apply(Op.ADD, even.re, odd.im), tape.apply(Op.SUB, even.im, odd.re));
      y[n - k] = new Row(tape.apply(Op.SUB, even.re, odd.im), tape.apply(Op.ADD, even.im, odd.re));
    }
    return y;
  }

  private Row apply(Op op, Row a, Row b) {
    return new Row(tape.apply(op, a.re, b.re), tape.apply(op, a.im, b.im));
  }

  private int times(int a, int b) {
    return tape.apply(Op.MUL, a, b);
  }

  private Row times(Row a, int b) {
    return new Row(times(a.re, b), times(a.im, b));
  }

  private Row times(Row a, Row b) {
    return new Row(
        tape.apply(Op.SUB, times(a.re, b.re), times(a.im, b.im)),
        tape.apply(Op.ADD, times(a.re, b.im), times(a.im, b.re)));
  }
}
