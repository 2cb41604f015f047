package ristretto.expr;

import ristretto.expr.graph.RandomNumber;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;

/** Random number expressions for all dtypes. */
final class RandomNumbers {
  private RandomNumbers() {}

  static <T> Expr<T> uniform(DType<T> dtype, Expr<I64> seed, Shape shape) {
    requireSeed("uniform", seed);
    return switch (dtype.scalar()) {
      case F32, F64 -> random(Node.Distribution.UNIFORM, dtype, shape, seed);
      case F16, BF16 -> random(Node.Distribution.UNIFORM, F32.INSTANCE, shape, seed).cast(dtype);
      case I32, I64 -> random(Node.Distribution.BITS, dtype, shape, seed);
      case I8, U8, I16, U16, U32 ->
          random(Node.Distribution.BITS, I32.INSTANCE, shape, seed).cast(dtype);
      case U64 -> random(Node.Distribution.BITS, I64.INSTANCE, shape, seed).cast(dtype);
      case BOOL -> random(Node.Distribution.BITS, I32.INSTANCE, shape, seed).lt(0).cast(dtype);
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
        ? random(Node.Distribution.NORMAL, F32.INSTANCE, shape, seed).cast(dtype)
        : random(Node.Distribution.NORMAL, dtype, shape, seed);
  }

  /** Random integers {@code low + floor(u * (high - low))} with u of 53 random bits. */
  static <T> Expr<T> integers(DType<T> dtype, Expr<I64> seed, long low, long high, Shape shape) {
    if (high <= low) {
      throw new ShapeException(
          "[randomIntegers] high must be above low; got low " + low + ", high " + high + ".");
    }
    if (high - low < 0 || !dtype.holds(low) || !dtype.holds(high - 1)) {
      throw new ShapeException(
          ("[randomIntegers] the numbers must fit the dtype, and their count 63 bits; got low %s,"
                  + " high %s for %s; use uniform for all values of a dtype.")
              .formatted(low, high, dtype));
    }
    requireSeed("randomIntegers", seed);
    Expr<F64> u = random(Node.Distribution.FRACTION, F64.INSTANCE, shape, seed);
    Expr<I64> k =
        Apply.binary(
            Op.MIN,
            u.times((double) (high - low)).cast(I64.INSTANCE),
            Scalars.number(I64.INSTANCE, high - low - 1));
    return k.plus(low).cast(dtype);
  }

  private static <T> Expr<T> random(
      Node.Distribution distribution, DType<T> dtype, Shape shape, Expr<I64> seed) {
    return new Computed<>(new RandomNumber(distribution), dtype, shape, seed);
  }

  private static void requireSeed(String op, Expr<I64> seed) {
    if (seed.shape().elements() != 1) {
      throw new ShapeException(
          "[" + op + "] the seed must be one i64 element; got " + seed.label() + ".");
    }
  }
}
