package ristretto.expr;

import java.util.List;

/**
 * Every operation, for {@code import static ristretto.expr.Ops.*}. NumPy is the reference for what
 * they mean.
 */
public final class Ops extends IndexingOps {
  private Ops() {}

  public static final F32 F32 = ristretto.expr.F32.INSTANCE;
  public static final F64 F64 = ristretto.expr.F64.INSTANCE;
  public static final I32 I32 = ristretto.expr.I32.INSTANCE;
  public static final I64 I64 = ristretto.expr.I64.INSTANCE;
  public static final BOOL BOOL = ristretto.expr.BOOL.INSTANCE;
  public static final F16 F16 = ristretto.expr.F16.INSTANCE;
  public static final BF16 BF16 = ristretto.expr.BF16.INSTANCE;
  public static final I8 I8 = ristretto.expr.I8.INSTANCE;
  public static final U8 U8 = ristretto.expr.U8.INSTANCE;

  // Numbers

  /** One number as an expression; it broadcasts, and changing it is no new kernel. */
  public static <T> Expr<T> scalar(DType<T> dtype, double value) {
    return Scalars.number(dtype, value);
  }

  public static <T> Expr<T> scalar(DType<T> dtype, long value) {
    return Scalars.number(dtype, value);
  }

  /** One number in a shape. */
  public static <T> Expr<T> fill(DType<T> dtype, double value, long... dims) {
    return Scalars.filled(dtype, Shape.of(dims), value);
  }

  // Random numbers

  /** Uniform in [0, 1); of I32 and I64 all values. Equal seeds give equal bits on every device. */
  public static <T> Expr<T> uniform(DType<T> dtype, long seed, long... dims) {
    return uniform(dtype, Scalars.number(I64, seed), dims);
  }

  /** The seed is one element of a tensor, which may change between runs of a program. */
  public static <T> Expr<T> uniform(DType<T> dtype, Expr<I64> seed, long... dims) {
    return Randoms.uniform(dtype, seed, Shape.of(dims));
  }

  /** Whole numbers in [low, high), which the dtype must hold; made of 53 random bits. */
  public static <T> Expr<T> randomIntegers(
      DType<T> dtype, long seed, long low, long high, long... dims) {
    return Randoms.integers(dtype, Scalars.number(I64, seed), low, high, Shape.of(dims));
  }

  /** Normal with mean 0 and standard deviation 1. */
  public static <T> Expr<T> normal(DType<T> dtype, long seed, long... dims) {
    return normal(dtype, Scalars.number(I64, seed), dims);
  }

  public static <T> Expr<T> normal(DType<T> dtype, Expr<I64> seed, long... dims) {
    return Randoms.normal(dtype, seed, Shape.of(dims));
  }

  // Slices

  /** The whole axis. */
  public static Slice all() {
    return new Slice(null, null, 1, false);
  }

  /** Positions from start up to, without, stop. */
  public static Slice range(long start, long stop) {
    return new Slice(start, stop, 1, false);
  }

  public static Slice range(long start, long stop, long step) {
    return new Slice(start, stop, step, false);
  }

  /** From a position to the end. */
  public static Slice from(long start) {
    return new Slice(start, null, 1, false);
  }

  /** From a position on by steps, to the end (to the front for negative steps). */
  public static Slice from(long start, long step) {
    return new Slice(start, null, step, false);
  }

  /** One position; the axis disappears. */
  public static Slice at(long position) {
    return new Slice(position, null, 1, true);
  }

  // Linear algebra

  /**
   * Matrix product {@code a[..., m, k], b[..., k, n] -> [..., m, n]}, leading axes broadcast;
   * vectors as in NumPy's matmul. F32 and F64 run on the library's GEMM.
   */
  public static <T> Expr<T> dot(Expr<T> a, Expr<T> b) {
    return Products.dot(a, b);
  }

  /** As {@link #dot}. */
  public static <T> Expr<T> matmul(Expr<T> a, Expr<T> b) {
    return Products.dot(a, b);
  }

  /** {@code a[i] * b[j]} of flattened operands. */
  public static <T> Expr<T> outer(Expr<T> a, Expr<T> b) {
    return a.flatten().unsqueeze(1).times(b.flatten().unsqueeze(0));
  }

  /**
   * Einstein summation over one to many operands: {@code einsum("bij,bjk->bik", a, b)}. An ellipsis
   * stands for any further axes, which broadcast: {@code einsum("...ij,...jk->...ik", a, b)}; where
   * the result has none, they are summed over. Otherwise as NumPy's, but that axes of one letter
   * must be equal.
   */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> einsum(String equation, Expr<T>... operands) {
    return Einsum.of(equation, List.of(operands));
  }

  // Registered operators

  /** An operator registered in {@link ExprRegistry} under this name for the inputs' dtypes. */
  public static <T> Expr<T> call(DType<T> result, String name, Expr<?>... inputs) {
    return ExprRegistry.call(result, name, List.of(inputs));
  }
}
