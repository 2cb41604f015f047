package ristretto.expr;

import java.util.Arrays;
import java.util.Optional;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.WholeNumber;
import ristretto.kernels.LambdaException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.LongLambda;

/**
 * Reductions, row operations and scans. A reduction reduces and drops the named axes, or all axes
 * if none is named: {@code sum(x, 1)} of {@code x[n, d]} is {@code [n]}, {@code sum(x)} has rank 0.
 * {@link Reduced#keepDims} keeps the reduced axes with extent 1, so that the result broadcasts
 * against x: {@code x.minus(mean(x, 1).keepDims())}. Results do not depend on the number of
 * threads.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class ReductionOps extends SpecialOps {
  ReductionOps() {}

  /**
   * Sum over axes. The error of an F32 sum is at most 1e-7 of the sum of magnitudes, for any number
   * of elements, on every device, whether the operand is in memory or computed in the kernel:
   * elements accumulate in F64, or, where a device has none, in pairs of F32. F64 accumulates in
   * F64. Integers keep their dtype and wrap, where NumPy widens them: name a wider dtype, as in
   * {@code sum(I64, x)}. The empty sum is 0.
   */
  public static <T> Reduced<T> sum(Expr<T> a, int... axes) {
    return Reductions.sum(a, axes);
  }

  /** Sum over axes of the elements converted to a dtype; NumPy's {@code sum(a, dtype=...)}. */
  public static <R> Reduced<R> sum(DType<R> dtype, Expr<?> a, int... axes) {
    return Reductions.sum(a.cast(dtype), axes);
  }

  /** Number of true elements. */
  public static Reduced<I64> sum(Expr<BOOL> mask) {
    return countNonZero(mask);
  }

  /** Number of true elements along an axis. */
  public static Reduced<I64> sum(Expr<BOOL> mask, int axis) {
    return countNonZero(mask, axis);
  }

  /** Number of true elements along several axes. */
  public static Reduced<I64> sum(Expr<BOOL> mask, int first, int second, int... more) {
    int[] axes = Arrays.copyOf(more, more.length + 2);
    axes[more.length] = first;
    axes[more.length + 1] = second;
    return countNonZero(mask, axes);
  }

  /**
   * Product over axes; the empty product is 1. F32 accumulates in F64, with a relative error of at
   * most 1e-7; on a device without F64 in F32.
   */
  public static <T> Reduced<T> prod(Expr<T> a, int... axes) {
    return Reductions.prod(a, axes);
  }

  /**
   * Maximum over an axis; NaN if any element is NaN. An int argument is always an axis: {@code
   * max(a, 1f)} is element-wise.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<T> max(Expr<T> a, int axis) {
    return Reductions.reduce("max", Reduction.Kind.MAX, a, axis);
  }

  /** Maximum over several axes, or over all axes if none is named; NaN if any element is NaN. */
  public static <T> Reduced<T> max(Expr<T> a, int... axes) {
    return Reductions.reduce("max", Reduction.Kind.MAX, a, axes);
  }

  /**
   * Minimum over an axis; NaN if any element is NaN. An int argument is always an axis: {@code
   * min(a, 1f)} is element-wise.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<T> min(Expr<T> a, int axis) {
    return Reductions.reduce("min", Reduction.Kind.MIN, a, axis);
  }

  /** Minimum over several axes, or over all axes if none is named; NaN if any element is NaN. */
  public static <T> Reduced<T> min(Expr<T> a, int... axes) {
    return Reductions.reduce("min", Reduction.Kind.MIN, a, axes);
  }

  /**
   * Position of the first largest element, or of the first NaN, along an axis; over several or all
   * axes, its row-major number within the reduced axes.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<I64> argMax(Expr<T> a, int... axes) {
    return Reductions.arg("argMax", Reduction.Kind.ARGMAX, a, axes);
  }

  /**
   * Position of the first smallest element, or of the first NaN, with positions as in {@link
   * #argMax}.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<I64> argMin(Expr<T> a, int... axes) {
    return Reductions.arg("argMin", Reduction.Kind.ARGMIN, a, axes);
  }

  /** True where any element is nonzero (NaN counts as nonzero); false for no elements. */
  public static <T> Reduced<BOOL> any(Expr<T> a, int... axes) {
    return Reductions.dropped(
        Reductions.kept(
            Reduction.Kind.ANY, BOOL.INSTANCE, a.cast(BOOL.INSTANCE), Optional.empty(), 0, axes));
  }

  /** True where all elements are nonzero (NaN counts as nonzero); true for no elements. */
  public static <T> Reduced<BOOL> all(Expr<T> a, int... axes) {
    return Reductions.dropped(
        Reductions.kept(
            Reduction.Kind.ALL, BOOL.INSTANCE, a.cast(BOOL.INSTANCE), Optional.empty(), 0, axes));
  }

  /** Number of nonzero elements. */
  public static <T> Reduced<I64> countNonZero(Expr<T> a, int... axes) {
    return sum(a.cast(BOOL.INSTANCE).cast(I64.INSTANCE), axes);
  }

  /**
   * Mean over axes: the rounded {@link #sum}, divided by the number of elements and rounded again,
   * with an F32 error of at most 1.3e-7 of the mean magnitude. Floating point only; whole numbers
   * take the overloads with at most one axis, or {@code mean(F64, x, axes)}. NaN for no elements.
   */
  public static <T> Reduced<T> mean(Expr<T> a, int... axes) {
    Apply.requireFloat("mean", a);
    Expr<T> kept = Reductions.meanKept(a, axes);
    return Reductions.dropped(kept, a, axes);
  }

  /** Mean over axes of the elements converted to a dtype; NumPy's {@code mean(a, dtype=...)}. */
  public static <R> Reduced<R> mean(DType<R> dtype, Expr<?> a, int... axes) {
    return mean(a.cast(dtype), axes);
  }

  /** Mean of whole numbers in F64; of a mask, the fraction of true elements. */
  public static <T extends WholeNumber> Reduced<F64> mean(Expr<T> a) {
    return mean(F64.INSTANCE, a);
  }

  /** Mean of whole numbers along an axis in F64. */
  public static <T extends WholeNumber> Reduced<F64> mean(Expr<T> a, int axis) {
    return mean(F64.INSTANCE, a, axis);
  }

  /**
   * Variance over axes, divided by the number of elements (NumPy's default). The rounded mean is
   * subtracted before squaring, and the mean of the differences corrects the rounding error of the
   * mean: the relative error of F32 is at most 1e-6 for elements in memory whose mean is up to a
   * million times their standard deviation. Floating point only.
   */
  public static <T> Reduced<T> var(Expr<T> a, int... axes) {
    Apply.requireFloat("var", a);
    return Reductions.dropped(Reductions.varKept(a, axes), a, axes);
  }

  /** Variance of whole numbers in F64. */
  public static <T extends WholeNumber> Reduced<F64> var(Expr<T> a) {
    return var(a.cast(F64.INSTANCE));
  }

  /** Variance of whole numbers along an axis in F64. */
  public static <T extends WholeNumber> Reduced<F64> var(Expr<T> a, int axis) {
    return var(a.cast(F64.INSTANCE), new int[] {axis});
  }

  /** Square root of {@link #var}. */
  public static <T> Reduced<T> std(Expr<T> a, int... axes) {
    Apply.requireFloat("std", a);
    return Reductions.dropped(sqrt(Reductions.varKept(a, axes)), a, axes);
  }

  /** Standard deviation of whole numbers in F64. */
  public static <T extends WholeNumber> Reduced<F64> std(Expr<T> a) {
    return std(a.cast(F64.INSTANCE));
  }

  /** Standard deviation of whole numbers along an axis in F64. */
  public static <T extends WholeNumber> Reduced<F64> std(Expr<T> a, int axis) {
    return std(a.cast(F64.INSTANCE), new int[] {axis});
  }

  /**
   * {@code log(sum(exp(a)))} without overflow, with the accuracy of {@link #sum}; minus infinity
   * for no elements.
   */
  public static <T> Reduced<T> logSumExp(Expr<T> a, int... axes) {
    Apply.requireFloat("logSumExp", a);
    if (a.shape().elements() == 0) {
      return Reductions.dropped(log(sum(exp(a), axes).keepDims()), a, axes);
    }
    Expr<T> high = Apply.stopGradient(Reductions.finiteMax(a, axes));
    return Reductions.dropped(log(sum(exp(a.minus(high)), axes).keepDims()).plus(high), a, axes);
  }

  /** Euclidean norm over axes; the sum of squares may overflow. */
  public static <T> Reduced<T> norm(Expr<T> a, int... axes) {
    Apply.requireFloat("norm", a);
    return Reductions.dropped(sqrt(sum(a.times(a), axes).keepDims()), a, axes);
  }

  /** Sum of magnitudes over axes. */
  public static <T> Reduced<T> norm1(Expr<T> a, int... axes) {
    return sum(abs(a), axes);
  }

  /** Largest magnitude over axes. */
  public static <T> Reduced<T> normInf(Expr<T> a, int... axes) {
    return max(abs(a), axes);
  }

  /** Difference of maximum and minimum over axes. */
  public static <T> Reduced<T> ptp(Expr<T> a, int... axes) {
    return Reductions.dropped(max(a, axes).keepDims().minus(min(a, axes).keepDims()), a, axes);
  }

  // Rows

  /**
   * Softmax along an axis: {@code exp(a - max) / sum(exp(a - max))}, of the input's shape, in one
   * kernel. A row with NaN or infinity, or of -infinity only, becomes NaN. Rows of up to 4,096
   * elements of F32 accumulate in F32, longer ones as {@link #sum} does.
   */
  public static <T> Expr<T> softmax(Expr<T> a, int axis) {
    Apply.requireFloat("softmax", a);
    if (a.shape().elements() == 0) {
      return a;
    }
    // The result does not depend on the shift, so the shift needs no gradient.
    Expr<T> e = exp(a.minus(Apply.stopGradient(max(a, axis).keepDims())));
    return e.times(reciprocal(Reductions.rowSum(e, axis)));
  }

  /**
   * Logarithm of softmax along an axis: {@code a - max - log(sum(exp(a - max)))}, in one kernel.
   * NaN as in {@link #softmax}.
   */
  public static <T> Expr<T> logSoftmax(Expr<T> a, int axis) {
    Apply.requireFloat("logSoftmax", a);
    if (a.shape().elements() == 0) {
      return a;
    }
    Expr<T> shifted = a.minus(Apply.stopGradient(max(a, axis).keepDims()));
    return shifted.minus(log(Reductions.rowSum(exp(shifted), axis)));
  }

  /**
   * Layer normalization along an axis: {@code (a - mean) / sqrt(var + 1e-5)}, in one kernel. Rows
   * accumulate as in {@link #softmax}: the error of an F32 mean is at most 1e-6 of the mean
   * magnitude, and that of a result this error divided by the standard deviation.
   */
  public static <T> Expr<T> layerNorm(Expr<T> a, int axis) {
    return layerNorm(a, axis, 1e-5);
  }

  /**
   * Layer normalization along an axis: {@code (a - mean) / sqrt(var + epsilon)}, in one kernel with
   * epsilon as a constant, with the accuracy of {@link #layerNorm(Expr, int)}.
   */
  public static <T> Expr<T> layerNorm(Expr<T> a, int axis, double epsilon) {
    Apply.requireFloat("layerNorm", a);
    Scalars.requirePositiveOrZero("layerNorm", "epsilon", epsilon);
    Expr<T> count = a.number(a.shape().at(a.shape().axis(axis, "layerNorm")));
    Expr<T> centered = a.minus(Reductions.rowSum(a, axis).div(count));
    Expr<T> var = Reductions.rowSum(centered.times(centered), axis).div(count);
    return centered.times(rsqrt(var.plus(literal(a, epsilon))));
  }

  // Scans

  /**
   * Cumulative sum along an axis; each F32 element has the accuracy of {@link #sum}, integers keep
   * their dtype and wrap.
   */
  public static <T> Expr<T> cumSum(Expr<T> a, int axis) {
    return Reductions.scan("cumSum", Kernel.Scan.Operator.ADD, a, axis);
  }

  /** Cumulative product along an axis; integers keep their dtype and wrap. */
  public static <T> Expr<T> cumProd(Expr<T> a, int axis) {
    return Reductions.scan("cumProd", Kernel.Scan.Operator.MUL, a, axis);
  }

  /** Cumulative maximum along an axis; NaN from the first NaN on. */
  public static <T> Expr<T> cumMax(Expr<T> a, int axis) {
    return Reductions.scan("cumMax", Kernel.Scan.Operator.MAX, a, axis);
  }

  /** Cumulative minimum along an axis; NaN from the first NaN on. */
  public static <T> Expr<T> cumMin(Expr<T> a, int axis) {
    return Reductions.scan("cumMin", Kernel.Scan.Operator.MIN, a, axis);
  }

  // User-defined reductions

  /**
   * Reduces with a user lambda: {@code reduce(a, 0f, (u, v) -> u + v, axes...)}. The lambda must be
   * associative and {@code identity} its neutral element: elements are combined in groups, with the
   * identity any number of times. The reduction of no elements is the identity.
   *
   * @throws LambdaException if the lambda captures values or uses an operation that {@link
   *     ristretto.kernels.lambda} does not allow
   */
  public static Reduced<F32> reduce(
      Expr<F32> a, float identity, FloatLambda.ToFloat2 f, int... axes) {
    return Reductions.fold(a, Float.floatToRawIntBits(identity) & 0xFFFFFFFFL, f, axes);
  }

  /**
   * Reduces F64 with a user lambda; see {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}.
   */
  public static Reduced<F64> reduce(
      Expr<F64> a, double identity, DoubleLambda.ToDouble2 f, int... axes) {
    return Reductions.fold(a, Double.doubleToRawLongBits(identity), f, axes);
  }

  /**
   * Reduces I32 with a user lambda; see {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}.
   */
  public static Reduced<I32> reduce(Expr<I32> a, int identity, IntLambda.ToInt2 f, int... axes) {
    return Reductions.fold(a, identity, f, axes);
  }

  /**
   * Reduces I64 with a user lambda; see {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}.
   */
  public static Reduced<I64> reduce(Expr<I64> a, long identity, LongLambda.ToLong2 f, int... axes) {
    return Reductions.fold(a, identity, f, axes);
  }
}
