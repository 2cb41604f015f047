package ristretto.expr.program;

import ristretto.expr.index.Size;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/**
 * Launch scalars that may be multiples of the unknown number n, such as the divisor of a mean over
 * n rows. {@link Size} is for sizes.
 */
public final class LinearScalars {
  /** Largest relative error of a 32-bit number. */
  private static final double ROUNDED = 1e-7;

  /** Largest coefficient of n. */
  private static final long MOST_TIMES = 1 << 24;

  private final long[] bits;

  /** Multiples of n by argument; null for arguments that do not depend on n. */
  private final Multiple[] multiples;

  private record Multiple(ScalarType type, long times) {}

  public LinearScalars(long[] bits) {
    this.bits = bits;
    this.multiples = new Multiple[bits.length];
  }

  /** Returns true if the number is known as a function of n; {@link #at} then evaluates it. */
  boolean knows(Operand.Value v) {
    if (v.type() == ScalarType.I64) {
      return knowsWhole(v.argument());
    }
    double value = new Node.Const(v.type(), bits[v.argument()]).asDouble();
    long times = times(value);
    if (times != 0) {
      multiples[v.argument()] = new Multiple(v.type(), times);
      return true;
    }
    return !Size.isLarge(value) && times(1 / value) == 0;
  }

  /** Integers that are far larger than n, such as seeds, do not depend on n. */
  private boolean knowsWhole(int argument) {
    long times = Size.times(bits[argument]);
    if (times == 0 || Math.abs(times) > MOST_TIMES) {
      return true;
    }
    multiples[argument] = new Multiple(ScalarType.I64, times);
    return Size.isValid(bits[argument]);
  }

  /** Returns the coefficient of n in a number; 0 if the number is no multiple of n. */
  private static long times(double value) {
    double times = value / Size.UNKNOWN;
    long whole = Math.round(times);
    boolean near = Math.abs(times - whole) <= ROUNDED * Math.abs(times);
    return near && Math.abs(whole) <= MOST_TIMES ? whole : 0;
  }

  /** Launch scalars for an n. */
  public long[] at(long n) {
    long[] all = bits.clone();
    for (int k = 0; k < all.length; k++) {
      Multiple m = multiples[k];
      if (m != null) {
        all[k] =
            m.type == ScalarType.I64
                ? Size.at(bits[k], n)
                : Node.Const.of(m.type, (double) (m.times * n)).bits();
      }
    }
    return all;
  }
}
