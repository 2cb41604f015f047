package ristretto.expr;

import java.util.List;

/**
 * Every operation, for {@code import static ristretto.expr.Ops.*}. NumPy is the reference for what
 * they mean; where they differ, the operation says so. None computes anything: each makes an {@link
 * Expr}, whose rules for broadcasting, dtypes, numbers, negative axes and errors hold for all.
 */
public final class Ops extends IndexingOps {
  private Ops() {}

  /** 32-bit floating point. */
  public static final F32 F32 = ristretto.expr.F32.INSTANCE;

  /** 64-bit floating point. */
  public static final F64 F64 = ristretto.expr.F64.INSTANCE;

  /** 32-bit signed integers, which wrap. */
  public static final I32 I32 = ristretto.expr.I32.INSTANCE;

  /** 64-bit signed integers, which wrap. */
  public static final I64 I64 = ristretto.expr.I64.INSTANCE;

  /** True and false. */
  public static final BOOL BOOL = ristretto.expr.BOOL.INSTANCE;

  /** 16-bit floating point (IEEE half) in memory; computed with as F32. */
  public static final F16 F16 = ristretto.expr.F16.INSTANCE;

  /** The upper half of an F32 in memory; computed with as F32. */
  public static final BF16 BF16 = ristretto.expr.BF16.INSTANCE;

  /** 8-bit signed integers in memory; computed with as I32. */
  public static final I8 I8 = ristretto.expr.I8.INSTANCE;

  /** 8-bit unsigned integers in memory; computed with as I32. */
  public static final U8 U8 = ristretto.expr.U8.INSTANCE;

  // Numbers

  /**
   * One number as an expression; it broadcasts, and changing it is no new kernel. Must be whole and
   * one that the dtype holds, unless the dtype is floating point.
   */
  public static <T> Expr<T> scalar(DType<T> dtype, double value) {
    return Scalars.number(dtype, value);
  }

  /** As {@link #scalar(DType, double)}, for whole numbers that a double may not hold. */
  public static <T> Expr<T> scalar(DType<T> dtype, long value) {
    return Scalars.number(dtype, value);
  }

  /**
   * One number in a shape, without memory. Must be whole and one that the dtype holds, unless the
   * dtype is floating point.
   */
  public static <T> Expr<T> fill(DType<T> dtype, double value, long... dims) {
    return Scalars.filled(dtype, Shape.of(dims), value);
  }

  // Gradients

  /**
   * Derivative of {@code sum(y)}, of y itself if it is one number, with respect to {@code x}: an
   * expression of x's shape; see {@link Gradients}. {@code x} is the object that y was made of: an
   * equal expression made another time is another one.
   *
   * @throws ristretto.kernels.ShapeException if y is not computed from x; {@link #gradientOrZero}
   *     is for those who mean zeros
   */
  @SuppressWarnings("unchecked")
  public static <T> Expr<T> gradient(Expr<?> y, Expr<T> x) {
    return (Expr<T>) Gradients.of(y, List.of(x)).get(0);
  }

  /** Derivative as {@link #gradient}, zeros if y is not computed from x. */
  @SuppressWarnings("unchecked")
  public static <T> Expr<T> gradientOrZero(Expr<?> y, Expr<T> x) {
    return (Expr<T>) Gradients.find(y, x).orElseGet(() -> fill(x.dtype(), 0, x.shape().toArray()));
  }

  /** The same values, which count as constants in a {@link #gradient}. */
  public static <T> Expr<T> stopGradient(Expr<T> a) {
    return new Stopped<>(a);
  }

  // Random numbers

  /**
   * Uniform in [0, 1); of integers and BOOL all values. An element depends on the seed and its
   * row-major number only: equal seeds give equal bits on every device and every time they are
   * evaluated, in this version and later ones. Draws of one seed from different distributions
   * (uniform, normal, random integers) are independent; uniform numbers of different dtypes are
   * made of the same bits. {@link Seed} derives independent seeds from one. Computed where it is
   * used, without memory.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, long seed, long... dims) {
    return uniform(dtype, Scalars.number(I64, seed), dims);
  }

  /**
   * As {@link #uniform(DType, long, long...)}; the seed is an expression of one element, such as a
   * tensor that changes between runs of a {@link Program}.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, Expr<I64> seed, long... dims) {
    return Randoms.uniform(dtype, seed, Shape.of(dims));
  }

  /** Uniform numbers in [0, 1), with a key derived from a seed. */
  public static <T> Expr<T> uniform(DType<T> dtype, Seed seed, long... dims) {
    return uniform(dtype, seed.value(), dims);
  }

  /** Whole numbers in [low, high), which the dtype must hold; made of 53 random bits. */
  public static <T> Expr<T> randomIntegers(
      DType<T> dtype, long seed, long low, long high, long... dims) {
    return Randoms.integers(dtype, Scalars.number(I64, seed), low, high, Shape.of(dims));
  }

  /** Uniform integers in [low, high), with a key derived from a seed. */
  public static <T> Expr<T> randomIntegers(
      DType<T> dtype, Seed seed, long low, long high, long... dims) {
    return Randoms.integers(dtype, seed.value(), low, high, Shape.of(dims));
  }

  /** Normal with mean 0 and standard deviation 1; floating point only. Otherwise as uniform. */
  public static <T> Expr<T> normal(DType<T> dtype, long seed, long... dims) {
    return normal(dtype, Scalars.number(I64, seed), dims);
  }

  /**
   * As {@link #normal(DType, long, long...)}; the seed as in {@link #uniform(DType, Expr,
   * long...)}.
   */
  public static <T> Expr<T> normal(DType<T> dtype, Expr<I64> seed, long... dims) {
    return Randoms.normal(dtype, seed, Shape.of(dims));
  }

  /** Standard normal numbers, with a key derived from a seed. */
  public static <T> Expr<T> normal(DType<T> dtype, Seed seed, long... dims) {
    return normal(dtype, seed.value(), dims);
  }

  // Slices

  /** The whole axis. */
  public static Slice all() {
    return new Slice(null, null, 1, false);
  }

  /** Positions from start up to, without, stop; negative ones count from the end. */
  public static Slice range(long start, long stop) {
    return new Slice(start, stop, 1, false);
  }

  /**
   * Positions from start by steps as long as they are before stop (after it for negative steps):
   * {@code range(-1, -4, -1)} is the last three, backwards.
   */
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

  /** One position, negative ones counting from the end; the axis disappears. */
  public static Slice at(long position) {
    return new Slice(position, null, 1, true);
  }

  // Linear algebra

  /**
   * Matrix product {@code a[..., m, k], b[..., k, n] -> [..., m, n]}, leading axes broadcast;
   * vectors as in NumPy's matmul, which is what this is at any rank. F32 and F64 run on the
   * library's GEMM, F16 and BF16 as F32, integers as an exact sum that wraps.
   */
  public static <T> Expr<T> dot(Expr<T> a, Expr<T> b) {
    return Products.dot(a, b);
  }

  /** The same as {@link #dot}. */
  public static <T> Expr<T> matmul(Expr<T> a, Expr<T> b) {
    return Products.dot(a, b);
  }

  /** {@code a[i] * b[j]} of flattened operands: {@code a[m], b[n] -> [m, n]}. */
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

  /**
   * An operator registered in {@link ExprRegistry} under this name for the inputs' dtypes.
   *
   * @throws ristretto.kernels.ShapeException if there is none, or its result has another dtype
   */
  public static <T> Expr<T> call(DType<T> result, String name, Expr<?>... inputs) {
    return ExprRegistry.call(result, name, List.of(inputs));
  }
}
