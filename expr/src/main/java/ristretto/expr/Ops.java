package ristretto.expr;

import java.util.List;

/**
 * All operations, for {@code import static ristretto.expr.Ops.*}. Semantics are NumPy's unless an
 * operation's javadoc states a difference. Operations compute nothing: each returns an {@link
 * Expr}, whose rules for broadcasting, dtypes, numbers, negative axes and errors apply to all
 * operations.
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

  /** Booleans, one byte per element. */
  public static final BOOL BOOL = ristretto.expr.BOOL.INSTANCE;

  /** 16-bit floating point (IEEE half), a storage type: kernels compute in F32. */
  public static final F16 F16 = ristretto.expr.F16.INSTANCE;

  /** bfloat16 (the upper half of an F32), a storage type: kernels compute in F32. */
  public static final BF16 BF16 = ristretto.expr.BF16.INSTANCE;

  /** 8-bit signed integers, a storage type: kernels compute in I32. */
  public static final I8 I8 = ristretto.expr.I8.INSTANCE;

  /** 8-bit unsigned integers, a storage type: kernels compute in I32. */
  public static final U8 U8 = ristretto.expr.U8.INSTANCE;

  // Numbers

  /**
   * Scalar expression of rank 0 that broadcasts. The value is a launch scalar: another value needs
   * no new kernel. It must be whole and within the range of the dtype, unless the dtype is floating
   * point.
   */
  public static <T> Expr<T> scalar(DType<T> dtype, double value) {
    return Scalars.number(dtype, value);
  }

  /**
   * Scalar expression of rank 0 from a whole number, exact beyond 53 bits. The dtype must hold the
   * number.
   */
  public static <T> Expr<T> scalar(DType<T> dtype, long value) {
    return Scalars.number(dtype, value);
  }

  /**
   * Constant expression of a given shape, without memory. The value must be whole and within the
   * range of the dtype, unless the dtype is floating point.
   */
  public static <T> Expr<T> fill(DType<T> dtype, double value, long... dims) {
    return Scalars.filled(dtype, Shape.of(dims), value);
  }

  // Gradients

  /**
   * Gradient of {@code sum(y)} with respect to {@code x}, of x's shape; see {@link Gradients}.
   * {@code x} must be the very object that y was built from: an equal expression does not count.
   *
   * @throws ristretto.kernels.ShapeException if y is not computed from x; {@link #gradientOrZero}
   *     returns zeros instead
   */
  @SuppressWarnings("unchecked")
  public static <T> Expr<T> gradient(Expr<?> y, Expr<T> x) {
    return (Expr<T>) Gradients.of(y, List.of(x)).get(0);
  }

  /** Gradient of {@code sum(y)} with respect to {@code x}; zeros if y is not computed from x. */
  @SuppressWarnings("unchecked")
  public static <T> Expr<T> gradientOrZero(Expr<?> y, Expr<T> x) {
    return (Expr<T>) Gradients.find(y, x).orElseGet(() -> fill(x.dtype(), 0, x.shape().toArray()));
  }

  /** Passes values through as constants for {@link #gradient}: no gradient flows into {@code a}. */
  public static <T> Expr<T> stopGradient(Expr<T> a) {
    return new Stopped<>(a);
  }

  // Random numbers

  /**
   * Uniform random numbers in [0, 1); for integers and BOOL over all values of the dtype. An
   * element depends on the seed and its row-major number only: equal seeds give equal bits on every
   * device, in every evaluation, in this version and later ones. Draws from different distributions
   * (uniform, normal, random integers) with one seed are independent; uniform numbers of different
   * dtypes derive from the same bits. {@link Seed} derives independent seeds from one. The numbers
   * are computed in the kernels of their readers, without memory.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, long seed, long... dims) {
    return uniform(dtype, Scalars.number(I64, seed), dims);
  }

  /**
   * Uniform random numbers with a seed of one element, such as a tensor that changes between runs
   * of a {@link Program}; see {@link #uniform(DType, long, long...)}.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, Expr<I64> seed, long... dims) {
    return Randoms.uniform(dtype, seed, Shape.of(dims));
  }

  /**
   * Uniform random numbers in [0, 1) with a derived key; see {@link #uniform(DType, long,
   * long...)}.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, Seed seed, long... dims) {
    return uniform(dtype, seed.value(), dims);
  }

  /**
   * Uniform random integers in [low, high), derived from 53 random bits. The dtype must hold all
   * numbers in the range.
   */
  public static <T> Expr<T> randomIntegers(
      DType<T> dtype, long seed, long low, long high, long... dims) {
    return Randoms.integers(dtype, Scalars.number(I64, seed), low, high, Shape.of(dims));
  }

  /**
   * Uniform random integers in [low, high) with a derived key; see {@link #randomIntegers(DType,
   * long, long, long, long...)}.
   */
  public static <T> Expr<T> randomIntegers(
      DType<T> dtype, Seed seed, long low, long high, long... dims) {
    return Randoms.integers(dtype, seed.value(), low, high, Shape.of(dims));
  }

  /**
   * Normal random numbers with mean 0 and standard deviation 1, floating point only; reproducible
   * as {@link #uniform(DType, long, long...)} is.
   */
  public static <T> Expr<T> normal(DType<T> dtype, long seed, long... dims) {
    return normal(dtype, Scalars.number(I64, seed), dims);
  }

  /**
   * Standard normal random numbers with a seed of one element, such as a tensor that changes
   * between runs of a {@link Program}.
   */
  public static <T> Expr<T> normal(DType<T> dtype, Expr<I64> seed, long... dims) {
    return Randoms.normal(dtype, seed, Shape.of(dims));
  }

  /** Standard normal random numbers with a derived key. */
  public static <T> Expr<T> normal(DType<T> dtype, Seed seed, long... dims) {
    return normal(dtype, seed.value(), dims);
  }

  // Slices

  /** The whole axis. */
  public static Slice all() {
    return new Slice(null, null, 1, false);
  }

  /** Positions in [start, stop); negative positions count from the end. */
  public static Slice range(long start, long stop) {
    return new Slice(start, stop, 1, false);
  }

  /**
   * Positions from start to stop (exclusive) with a step, which may be negative: {@code range(-1,
   * -4, -1)} selects the last three, backwards.
   */
  public static Slice range(long start, long stop, long step) {
    return new Slice(start, stop, step, false);
  }

  /** Positions from start to the end of the axis. */
  public static Slice from(long start) {
    return new Slice(start, null, 1, false);
  }

  /**
   * Positions from start with a step, to the end of the axis (to its beginning for negative steps).
   */
  public static Slice from(long start, long step) {
    return new Slice(start, null, step, false);
  }

  /** Single position, which drops the axis; negative positions count from the end. */
  public static Slice at(long position) {
    return new Slice(position, null, 1, true);
  }

  // Linear algebra

  /**
   * Matrix product {@code a[..., m, k], b[..., k, n] -> y[..., m, n]} with NumPy's matmul semantics
   * at any rank: leading axes broadcast, vectors are treated as in matmul. F32 and F64 run on the
   * library's GEMM, F16 and BF16 compute in F32, integer sums are exact and wrap.
   */
  public static <T> Expr<T> dot(Expr<T> a, Expr<T> b) {
    return Products.dot(a, b);
  }

  /**
   * Matrix product {@code a[..., m, k], b[..., k, n] -> y[..., m, n]}; an alias of {@link #dot}.
   */
  public static <T> Expr<T> matmul(Expr<T> a, Expr<T> b) {
    return Products.dot(a, b);
  }

  /** Outer product of flattened operands: {@code a[m], b[n] -> y[m, n]}. */
  public static <T> Expr<T> outer(Expr<T> a, Expr<T> b) {
    return a.flatten().unsqueeze(1).times(b.flatten().unsqueeze(0));
  }

  /**
   * Einstein summation over one or more operands: {@code einsum("bij,bjk->bik", a, b)}. An ellipsis
   * stands for any further axes, which broadcast: {@code einsum("...ij,...jk->...ik", a, b)}; a
   * result without an ellipsis sums over those axes. Semantics are NumPy's, except that all axes of
   * one letter must have equal extents.
   */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> einsum(String equation, Expr<T>... operands) {
    return Einsum.of(equation, List.of(operands));
  }

  // Registered operators

  /**
   * Applies the operator registered in {@link ExprRegistry} under this name for the inputs' dtypes.
   *
   * @throws ristretto.kernels.ShapeException if there is none, or its result has another dtype
   */
  public static <T> Expr<T> call(DType<T> result, String name, Expr<?>... inputs) {
    return ExprRegistry.call(result, name, List.of(inputs));
  }
}
