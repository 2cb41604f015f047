package ristretto.expr;

import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Node;

/** Random number expressions for all dtypes. */
final class Randoms {
  private Randoms() {}

  static <T> Expr<T> uniform(DType<T> dtype, Expr<I64> seed, Shape shape) {
    requireSeed("uniform", seed);
    return switch (dtype.scalar()) {
      case F32, F64 -> new RandomExpr<>(Node.Distribution.UNIFORM, dtype, shape, seed);
      case F16, BF16 ->
          new RandomExpr<>(Node.Distribution.UNIFORM, F32.INSTANCE, shape, seed).cast(dtype);
      case I32, I64 -> new RandomExpr<>(Node.Distribution.BITS, dtype, shape, seed);
      case I8, U8 ->
          new RandomExpr<>(Node.Distribution.BITS, I32.INSTANCE, shape, seed).cast(dtype);
      case BOOL ->
          new RandomExpr<>(Node.Distribution.BITS, I32.INSTANCE, shape, seed).lt(0).cast(dtype);
    };
  }

  static <T> Expr<T> normal(DType<T> dtype, Expr<I64> seed, Shape shape) {
    requireSeed("normal", seed);
    if (!dtype.isFloat()) {
      throw new ShapeException(
          "[normal] the dtype must be floating point; got " + dtype + "; use F32 or F64.");
    }
    boolean narrow = dtype.scalar() != dtype.compute();
    return narrow
        ? new RandomExpr<>(Node.Distribution.NORMAL, F32.INSTANCE, shape, seed).cast(dtype)
        : new RandomExpr<>(Node.Distribution.NORMAL, dtype, shape, seed);
  }

  /** Random integers {@code low + floor(u * (high - low))} with u of 53 random bits. */
  static <T> Expr<T> integers(DType<T> dtype, Expr<I64> seed, long low, long high, Shape shape) {
    if (high <= low) {
      throw new ShapeException(
          "[randomIntegers] high must be above low; got low " + low + ", high " + high + ".");
    }
    if (high - low < 0 || !dtype.holds(low) || !dtype.holds(high - 1)) {
      throw new ShapeException(
          "[randomIntegers] the numbers must fit the dtype, and their count 63 bits; got low "
              + low
              + ", high "
              + high
              + " for "
              + dtype
              + "; use uniform for all values of a dtype.");
    }
    requireSeed("randomIntegers", seed);
    Expr<F64> u = new RandomExpr<>(Node.Distribution.FRACTION, F64.INSTANCE, shape, seed);
    Expr<I64> k =
        BinaryOps.min(
            u.times((double) (high - low)).cast(I64.INSTANCE),
            Scalars.number(I64.INSTANCE, high - low - 1));
    return k.plus(low).cast(dtype);
  }

  private static void requireSeed(String op, Expr<I64> seed) {
    if (seed.shape().size() != 1) {
      throw new ShapeException(
          "[" + op + "] the seed must be one i64 element; got " + seed.label() + ".");
    }
  }
}
