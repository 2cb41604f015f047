package ristretto.expr;

import java.util.Optional;
import ristretto.kernels.LambdaException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lambda.LongLambda;
import ristretto.kernels.lift.Lifter;
import ristretto.kernels.scalar.Op;

/**
 * Reductions, row operations and scans. A reduction reduces and drops the named axes, or all axes
 * if none is named: {@code sum(x, 1)} of {@code x[n, d]} is {@code [n]}, {@code sum(x)} has rank 0.
 * {@link Reduced#keepDims} keeps the reduced axes with extent 1, so that the result broadcasts
 * against x: {@code x.minus(mean(x, 1).keepDims())}. Results do not depend on the number of
 * threads.
 */
abstract class ReductionOps extends BinaryOps {
  /**
   * Longest row for {@link Reduction.Kind#ROW_SUM}, such that F32 accumulation loses at most one
   * digit.
   */
  private static final long SHORT_ROW = 4096;

  ReductionOps() {}

  /**
   * Sum over axes. The error of an F32 sum is at most 1e-7 of the sum of magnitudes, for any number
   * of elements, on every device, whether the operand is in memory or computed in the kernel:
   * elements accumulate in F64, or, where a device has none, in pairs of F32. F64 accumulates in
   * F64. Integers keep their dtype and wrap, where NumPy widens them: cast first, as in {@code
   * sum(x.cast(I64))}. The empty sum is 0.
   */
  public static <T> Reduced<T> sum(Expr<T> a, int... axes) {
    return reduce("sum", Reduction.Kind.SUM, a, axes);
  }

  /**
   * Product over axes; the empty product is 1. F32 accumulates in F64, with a relative error of at
   * most 1e-7; on a device without F64 in F32.
   */
  public static <T> Reduced<T> prod(Expr<T> a, int... axes) {
    return reduce("prod", Reduction.Kind.PROD, a, axes);
  }

  /**
   * Maximum over an axis; NaN if any element is NaN. An int argument is always an axis: {@code
   * max(a, 1f)} is element-wise.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<T> max(Expr<T> a, int axis) {
    return reduce("max", Reduction.Kind.MAX, a, axis);
  }

  /** Maximum over several axes, or over all axes if none is named; NaN if any element is NaN. */
  public static <T> Reduced<T> max(Expr<T> a, int... axes) {
    return reduce("max", Reduction.Kind.MAX, a, axes);
  }

  /**
   * Minimum over an axis; NaN if any element is NaN. An int argument is always an axis: {@code
   * min(a, 1f)} is element-wise.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<T> min(Expr<T> a, int axis) {
    return reduce("min", Reduction.Kind.MIN, a, axis);
  }

  /** Minimum over several axes, or over all axes if none is named; NaN if any element is NaN. */
  public static <T> Reduced<T> min(Expr<T> a, int... axes) {
    return reduce("min", Reduction.Kind.MIN, a, axes);
  }

  /**
   * Position of the first largest element, or of the first NaN, along an axis; over several or all
   * axes, its row-major number within the reduced axes.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<I64> argMax(Expr<T> a, int... axes) {
    return arg("argMax", Reduction.Kind.ARGMAX, a, axes);
  }

  /**
   * Position of the first smallest element, or of the first NaN, with positions as in {@link
   * #argMax}.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<I64> argMin(Expr<T> a, int... axes) {
    return arg("argMin", Reduction.Kind.ARGMIN, a, axes);
  }

  /** True where any element is nonzero (NaN counts as nonzero); false for no elements. */
  public static <T> Reduced<BOOL> any(Expr<T> a, int... axes) {
    return dropped(
        Reduce.of(
            Reduction.Kind.ANY, BOOL.INSTANCE, a.cast(BOOL.INSTANCE), Optional.empty(), 0, axes));
  }

  /** True where all elements are nonzero (NaN counts as nonzero); true for no elements. */
  public static <T> Reduced<BOOL> all(Expr<T> a, int... axes) {
    return dropped(
        Reduce.of(
            Reduction.Kind.ALL, BOOL.INSTANCE, a.cast(BOOL.INSTANCE), Optional.empty(), 0, axes));
  }

  /** Number of nonzero elements. */
  public static <T> Reduced<I64> countNonZero(Expr<T> a, int... axes) {
    return sum(a.cast(BOOL.INSTANCE).cast(I64.INSTANCE), axes);
  }

  /**
   * Mean over axes: the rounded {@link #sum}, divided by the number of elements and rounded again,
   * with an F32 error of at most 1.3e-7 of the mean magnitude. Floating point only (cast integers
   * first). NaN for no elements.
   */
  public static <T> Reduced<T> mean(Expr<T> a, int... axes) {
    requireFloat("mean", a);
    Expr<T> kept = meanKept(a, axes);
    return dropped(kept, a, axes);
  }

  /**
   * Variance over axes, divided by the number of elements (NumPy's default). The rounded mean is
   * subtracted before squaring, and the mean of the differences corrects the rounding error of the
   * mean: the relative error of F32 is at most 1e-6 for elements in memory whose mean is up to a
   * million times their standard deviation. Floating point only.
   */
  public static <T> Reduced<T> var(Expr<T> a, int... axes) {
    requireFloat("var", a);
    return dropped(varKept(a, axes), a, axes);
  }

  /** Square root of {@link #var}. */
  public static <T> Reduced<T> std(Expr<T> a, int... axes) {
    requireFloat("std", a);
    return dropped(sqrt(varKept(a, axes)), a, axes);
  }

  /**
   * {@code log(sum(exp(a)))} without overflow, with the accuracy of {@link #sum}; minus infinity
   * for no elements.
   */
  public static <T> Reduced<T> logSumExp(Expr<T> a, int... axes) {
    requireFloat("logSumExp", a);
    if (a.shape().size() == 0) {
      return dropped(log(sum(exp(a), axes).keepDims()), a, axes);
    }
    Expr<T> high = new Stopped<>(finiteMax(a, axes));
    return dropped(log(sum(exp(a.minus(high)), axes).keepDims()).plus(high), a, axes);
  }

  /** Euclidean norm over axes; the sum of squares may overflow. */
  public static <T> Reduced<T> norm(Expr<T> a, int... axes) {
    requireFloat("norm", a);
    return dropped(sqrt(sum(a.times(a), axes).keepDims()), a, axes);
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
    return dropped(max(a, axes).keepDims().minus(min(a, axes).keepDims()), a, axes);
  }

  // Rows

  /**
   * Softmax along an axis: {@code exp(a - max) / sum(exp(a - max))}, of the input's shape, in one
   * kernel. A row with NaN or infinity, or of -infinity only, becomes NaN. Rows of up to 4,096
   * elements of F32 accumulate in F32, longer ones as {@link #sum} does.
   */
  public static <T> Expr<T> softmax(Expr<T> a, int axis) {
    requireFloat("softmax", a);
    if (a.shape().size() == 0) {
      return a;
    }
    // The result does not depend on the shift, so the shift needs no gradient.
    Expr<T> e = exp(a.minus(new Stopped<>(max(a, axis).keepDims())));
    return e.times(reciprocal(rowSum(e, axis)));
  }

  /**
   * Logarithm of softmax along an axis: {@code a - max - log(sum(exp(a - max)))}, in one kernel.
   * NaN as in {@link #softmax}.
   */
  public static <T> Expr<T> logSoftmax(Expr<T> a, int axis) {
    requireFloat("logSoftmax", a);
    if (a.shape().size() == 0) {
      return a;
    }
    Expr<T> shifted = a.minus(new Stopped<>(max(a, axis).keepDims()));
    return shifted.minus(log(rowSum(exp(shifted), axis)));
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
    requireFloat("layerNorm", a);
    requirePositiveOrZero("layerNorm", "epsilon", epsilon);
    Expr<T> count = a.number(a.shape().at(a.shape().axis(axis, "layerNorm")));
    Expr<T> centered = a.minus(rowSum(a, axis).div(count));
    Expr<T> var = rowSum(centered.times(centered), axis).div(count);
    return centered.times(rsqrt(var.plus(literal(a, epsilon))));
  }

  static void requirePositiveOrZero(String op, String argument, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new ShapeException(
          "["
              + op
              + "] "
              + argument
              + " must be finite and at least 0; got "
              + value
              + "; 1e-5 is usual.");
    }
  }

  // Scans

  /**
   * Cumulative sum along an axis; each F32 element has the accuracy of {@link #sum}, integers keep
   * their dtype and wrap.
   */
  public static <T> Expr<T> cumSum(Expr<T> a, int axis) {
    return scan("cumSum", Op.ADD, a, axis);
  }

  /** Cumulative product along an axis; integers keep their dtype and wrap. */
  public static <T> Expr<T> cumProd(Expr<T> a, int axis) {
    return scan("cumProd", Op.MUL, a, axis);
  }

  /** Cumulative maximum along an axis; NaN from the first NaN on. */
  public static <T> Expr<T> cumMax(Expr<T> a, int axis) {
    return scan("cumMax", Op.MAX, a, axis);
  }

  /** Cumulative minimum along an axis; NaN from the first NaN on. */
  public static <T> Expr<T> cumMin(Expr<T> a, int axis) {
    return scan("cumMin", Op.MIN, a, axis);
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
    return fold(a, Float.floatToRawIntBits(identity) & 0xFFFFFFFFL, f, axes);
  }

  /**
   * Reduces F64 with a user lambda; see {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}.
   */
  public static Reduced<F64> reduce(
      Expr<F64> a, double identity, DoubleLambda.ToDouble2 f, int... axes) {
    return fold(a, Double.doubleToRawLongBits(identity), f, axes);
  }

  /**
   * Reduces I32 with a user lambda; see {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}.
   */
  public static Reduced<I32> reduce(Expr<I32> a, int identity, IntLambda.ToInt2 f, int... axes) {
    return fold(a, identity, f, axes);
  }

  /**
   * Reduces I64 with a user lambda; see {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}.
   */
  public static Reduced<I64> reduce(Expr<I64> a, long identity, LongLambda.ToLong2 f, int... axes) {
    return fold(a, identity, f, axes);
  }

  private static <T> Reduced<T> fold(Expr<T> a, long identity, Lambda f, int... axes) {
    var lifted = Lifter.lift(f);
    if (!lifted.captured().isEmpty()) {
      throw new LambdaException(
          "[reduce] a reducing lambda must not capture values; got "
              + lifted.description()
              + "; use constants, or map before or after.");
    }
    return dropped(
        Reduce.of(Reduction.Kind.LAMBDA, a.dtype(), a, Optional.of(lifted.tape()), identity, axes));
  }

  // Parts

  private static <T> Reduced<T> reduce(String op, Reduction.Kind kind, Expr<T> a, int... axes) {
    if (!a.dtype().isFloat() && !a.dtype().isInteger()) {
      throw new ShapeException(
          "["
              + op
              + "] operands must be numbers; got "
              + a.label()
              + "; cast first, as in x.cast(I32), or use any, all"
              + " or countNonZero.");
    }
    requireElements(op, kind == Reduction.Kind.MAX || kind == Reduction.Kind.MIN, a, axes);
    return dropped(Reduce.of(kind, a.dtype(), a, Optional.empty(), 0, axes));
  }

  private static <T> Reduced<I64> arg(String op, Reduction.Kind kind, Expr<T> a, int... axes) {
    requireElements(op, true, a, axes);
    Expr<?> ordered = a.dtype() == (Object) BOOL.INSTANCE ? a.cast(I32.INSTANCE) : a;
    return dropped(Reduce.of(kind, I64.INSTANCE, ordered, Optional.empty(), 0, axes));
  }

  private static void requireElements(String op, boolean needed, Expr<?> a, int... axes) {
    if (!needed || a.shape().size() > 0) {
      return;
    }
    boolean empty = axes.length == 0;
    for (int axis : axes) {
      empty |= a.shape().at(a.shape().axis(axis, op)) == 0;
    }
    if (empty) {
      throw new ShapeException(
          "["
              + op
              + "] the reduced axes must have elements; got "
              + a.label()
              + "; there is no "
              + op
              + " of nothing.");
    }
  }

  private static <T> Reduced<T> dropped(Reduce<T> kept) {
    return new Reduced<>(kept, kept.dropped());
  }

  /** Result with the reduced axes dropped; {@code kept} has them with extent 1. */
  private static <T> Reduced<T> dropped(Expr<T> kept, Expr<?> a, int... axes) {
    return new Reduced<>(
        kept, Reduce.of(Reduction.Kind.SUM, a.dtype(), a, Optional.empty(), 0, axes).dropped());
  }

  private static <T> Expr<T> meanKept(Expr<T> a, int... axes) {
    Expr<T> sum = sum(a, axes).keepDims();
    double count = (double) a.shape().size() / sum.shape().size();
    return sum.div(a.number(count));
  }

  /** Sum over axes, kept with extent 1, for a kernel over the same rows. */
  private static <T> Expr<T> rowSum(Expr<T> a, int... axes) {
    Reduce<T> sum = Reduce.of(Reduction.Kind.SUM, a.dtype(), a, Optional.empty(), 0, axes);
    return a.shape().size() > SHORT_ROW * sum.shape().size()
        ? sum
        : Reduce.of(Reduction.Kind.ROW_SUM, a.dtype(), a, Optional.empty(), 0, axes);
  }

  /**
   * Variance of the differences to the rounded mean. Differences to a value this close are exact,
   * and {@code rest}, the mean of the differences, is the rounding error of the mean. The final
   * subtraction is negative only through rounding, if all elements are nearly equal.
   *
   * <p>F32 accumulation suffices for {@code rest} of a short row. The differences are multiples of
   * an element's unit in the last place, so that their sum is exact if deviations are small
   * compared with the mean; otherwise {@code rest} is so small that its error is at most 1e-8 of
   * the variance.
   */
  private static <T> Expr<T> varKept(Expr<T> a, int... axes) {
    Expr<T> shifted = a.minus(new Stopped<>(meanKept(a, axes)));
    Expr<T> squares = meanKept(shifted.times(shifted), axes);
    Expr<T> count = a.number((double) a.shape().size() / squares.shape().size());
    Expr<T> rest = rowSum(shifted, axes).div(count);
    return max(squares.minus(rest.times(rest)), literal(a, 0));
  }

  /** Maximum, or 0 if the maximum is infinite, so that infinite elements do not become NaN. */
  private static <T> Expr<T> finiteMax(Expr<T> a, int... axes) {
    Expr<T> high = max(a, axes).keepDims();
    return where(abs(high).eq(literal(a, Double.POSITIVE_INFINITY)), literal(a, 0), high);
  }

  private static <T> Expr<T> scan(String op, Op fold, Expr<T> a, int axis) {
    if (a.dtype() == (Object) BOOL.INSTANCE) {
      throw new ShapeException(
          "[" + op + "] operands must be numbers; got " + a.label() + "; cast first.");
    }
    return new Scan<>(a, fold, a.shape().axis(axis, op), false, false);
  }

  static void requireFloat(String op, Expr<?> a) {
    if (!a.dtype().isFloat()) {
      throw new ShapeException(
          "["
              + op
              + "] operands must be floating point; got "
              + a.label()
              + "; cast first, as in x.cast(F64).");
    }
  }
}
