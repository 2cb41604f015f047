package ristretto.expr.formula;

import ristretto.expr.type.DType;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Arithmetic of integers that kernels compute in a wider or a signed type. Elements of I16, U16 and
 * U32 are always within their range; elements of U64 are the I64 of equal bits, so that addition,
 * multiplication and bit operations need no code of their own.
 */
public final class Integers {
  private Integers() {}

  /** Returns true if each operation wraps its result; of other storage types only stores do. */
  public static boolean wraps(DType<?> dtype) {
    return switch (dtype.scalar()) {
      case I16, U16, U32, U64 -> true;
      case I8, U8, I32, I64, BOOL, F16, BF16, F32, F64 -> false;
    };
  }

  /** Result of an operation on one or two elements of a dtype; b is null for one. */
  public static Scalar apply(Op op, DType<?> dtype, Scalar a, Scalar b) {
    if (dtype.scalar() == ScalarType.U64) {
      return unsigned(op, a, b);
    }
    Scalar result = b == null ? a.apply(op) : a.apply(op, b);
    return switch (op) {
      case ADD, SUB, MUL, DIV, NEG, ABS, BITNOT, SHL ->
          wraps(dtype) ? wrapped(result, dtype) : result;
      default -> result;
    };
  }

  /** Value that a store of the dtype leaves of an element in its compute type. */
  public static Scalar wrapped(Scalar a, DType<?> dtype) {
    return switch (dtype.scalar()) {
      case I8 -> extended(a, 24);
      case I16 -> extended(a, 16);
      case U8, U16, U32 -> a.and(a.constant(dtype.most()));
      case U64, BOOL, I32, I64, F16, BF16, F32, F64 -> a;
    };
  }

  private static Scalar extended(Scalar a, int bits) {
    return a.apply(Op.SHL, a.constant(bits)).apply(Op.SHR, a.constant(bits));
  }

  /**
   * Converts a floating-point number to the nearest integer of the dtype towards zero; NaN to 0.
   */
  static Scalar saturated(Scalar a, DType<?> dtype) {
    if (dtype.scalar() != ScalarType.U64) {
      Scalar whole = a.convert(dtype.compute());
      return whole.max(whole.constant(dtype.least())).min(whole.constant(dtype.most()));
    }
    Scalar half = a.constant(0x1p63);
    Scalar low = a.convert(ScalarType.I64);
    Scalar high = flipped(a.minus(half).convert(ScalarType.I64));
    return a.ge(half).select(high, low.max(low.constant(0)));
  }

  /** Converts an element of a dtype to another dtype. */
  public static Scalar convert(Scalar a, DType<?> from, DType<?> to) {
    if (from.scalar() != ScalarType.U64 || !to.isFloat()) {
      return a.cast(to);
    }
    // Half of a large number, with the lost bit kept for rounding, is a positive I64.
    Scalar half = a.apply(Op.USHR, a.constant(1)).or(a.and(a.constant(1)));
    Scalar real = half.convert(to.compute());
    Scalar large = real.plus(real);
    return a.lt(a.constant(0)).select(large, a.convert(to.compute())).cast(to);
  }

  private static Scalar unsigned(Op op, Scalar a, Scalar b) {
    return switch (op) {
      case ABS -> a;
      case SIGN -> a.eq(a.constant(0)).select(a, a.constant(1));
      case SHR -> a.apply(Op.USHR, b);
      case LT, LE, GT, GE -> flipped(a).apply(op, flipped(b));
      case MIN, MAX -> flipped(flipped(a).apply(op, flipped(b)));
      case DIV -> quotient(a, b);
      case REM -> b.eq(b.constant(0)).select(b, a.minus(quotient(a, b).times(b)));
      default -> b == null ? a.apply(op) : a.apply(op, b);
    };
  }

  /** Number whose signed order is the unsigned order of an I64, and the inverse. */
  private static Scalar flipped(Scalar a) {
    return a.xor(a.constant(Long.MIN_VALUE));
  }

  /** Unsigned quotient; 0 for a divisor of 0. */
  private static Scalar quotient(Scalar a, Scalar b) {
    Scalar zero = a.constant(0);
    Scalar one = a.constant(1);
    // The quotient of half the dividend, doubled, is exact or one too small.
    Scalar estimate = a.apply(Op.USHR, one).div(b).apply(Op.SHL, one);
    Scalar rest = a.minus(estimate.times(b));
    Scalar small = flipped(rest).ge(flipped(b)).select(estimate.plus(one), estimate);
    Scalar large = flipped(a).ge(flipped(b)).select(one, zero);
    return b.eq(zero).select(zero, b.lt(zero).select(large, small));
  }
}
