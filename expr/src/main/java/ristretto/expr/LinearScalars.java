package ristretto.expr;

import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/**
 * Numbers that kernels get at each launch, and that may be multiples of a number n that is not
 * known, as what a sum over n rows is divided by. {@link LinearSizes} says what stands for n.
 */
final class LinearScalars {
  /** How far off a number in 32 bits may be. */
  private static final double ROUNDED = 1e-7;

  /** Of n. */
  private static final long MOST_TIMES = 1 << 24;

  private final long[] bits;

  /** By argument; null of those that are the same for each n. */
  private final Multiple[] multiples;

  private record Multiple(ScalarType type, long times) {}

  LinearScalars(long[] bits) {
    this.bits = bits;
    this.multiples = new Multiple[bits.length];
  }

  /** Whether it is known what the number is for each n; {@link #at} then has it. */
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
    return !LinearSizes.isLarge(value) && times(1 / value) == 0;
  }

  /** Numbers that are far larger, such as what random numbers begin with, have no n in them. */
  private boolean knowsWhole(int argument) {
    long times = LinearSizes.times(bits[argument]);
    if (times == 0 || Math.abs(times) > MOST_TIMES) {
      return true;
    }
    multiples[argument] = new Multiple(ScalarType.I64, times);
    return LinearSizes.isLinear(bits[argument]);
  }

  /** How often n is in a number; 0 of other numbers. */
  private static long times(double value) {
    double times = value / LinearSizes.STAND_IN;
    long whole = Math.round(times);
    boolean near = Math.abs(times - whole) <= ROUNDED * Math.abs(times);
    return near && Math.abs(whole) <= MOST_TIMES ? whole : 0;
  }

  /** The numbers for an n. */
  long[] at(long n) {
    long[] all = bits.clone();
    for (int k = 0; k < all.length; k++) {
      Multiple m = multiples[k];
      if (m != null) {
        all[k] =
            m.type == ScalarType.I64
                ? LinearSizes.at(bits[k], n)
                : Node.Const.of(m.type, (double) (m.times * n)).bits();
      }
    }
    return all;
  }
}
