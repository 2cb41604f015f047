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
 * Reductions, row operations and scans. A reduction goes over the named axes, over all if none is
 * named, and drops them: {@code sum(x, 1)} of {@code x[n, d]} is {@code [n]}, {@code sum(x)} has
 * rank 0. {@link Reduced#keepDims} keeps them with extent 1, so that the result broadcasts against
 * x: {@code x.minus(mean(x, 1).keepDims())}. Results are the same whatever the number of threads.
 */
abstract class ReductionOps extends BinaryOps {
  ReductionOps() {}

  /**
   * Sum over axes, over all of them if none is named. F32 accumulates short runs in F32 and
   * combines them in F64. Integers keep their dtype and wrap, where NumPy widens them: cast first,
   * as in {@code sum(x.cast(I64))}. 0 of nothing.
   */
  public static <T> Reduced<T> sum(Expr<T> a, int... axes) {
    return reduce("sum", Reduction.Kind.SUM, a, axes);
  }

  /** Product over axes; accumulates as {@link #sum} does, 1 of nothing. */
  public static <T> Reduced<T> prod(Expr<T> a, int... axes) {
    return reduce("prod", Reduction.Kind.PROD, a, axes);
  }

  /**
   * Largest element over axes; NaN if there is one. An int is always an axis: {@code max(a, 1f)} is
   * element-wise.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<T> max(Expr<T> a, int axis) {
    return reduce("max", Reduction.Kind.MAX, a, axis);
  }

  /** As {@link #max(Expr, int)} over several axes, over all of them if none is named. */
  public static <T> Reduced<T> max(Expr<T> a, int... axes) {
    return reduce("max", Reduction.Kind.MAX, a, axes);
  }

  /**
   * Smallest element over axes; NaN if there is one. An int is always an axis: {@code min(a, 1f)}
   * is element-wise.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<T> min(Expr<T> a, int axis) {
    return reduce("min", Reduction.Kind.MIN, a, axis);
  }

  /** As {@link #min(Expr, int)} over several axes, over all of them if none is named. */
  public static <T> Reduced<T> min(Expr<T> a, int... axes) {
    return reduce("min", Reduction.Kind.MIN, a, axes);
  }

  /**
   * Position of the first largest element, or of the first NaN, along an axis; over several axes or
   * all of them, its row-major number within these.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<I64> argMax(Expr<T> a, int... axes) {
    return arg("argMax", Reduction.Kind.ARGMAX, a, axes);
  }

  /**
   * Position of the first smallest element, or of the first NaN, as {@link #argMax} counts it.
   *
   * @throws ShapeException if there are no elements to reduce
   */
  public static <T> Reduced<I64> argMin(Expr<T> a, int... axes) {
    return arg("argMin", Reduction.Kind.ARGMIN, a, axes);
  }

  /** True where any element is true (not 0; NaN is not 0); false of nothing. */
  public static <T> Reduced<BOOL> any(Expr<T> a, int... axes) {
    return dropped(
        Reduce.of(
            Reduction.Kind.ANY, BOOL.INSTANCE, a.cast(BOOL.INSTANCE), Optional.empty(), 0, axes));
  }

  /** True where all elements are true (not 0; NaN is not 0); true of nothing. */
  public static <T> Reduced<BOOL> all(Expr<T> a, int... axes) {
    return dropped(
        Reduce.of(
            Reduction.Kind.ALL, BOOL.INSTANCE, a.cast(BOOL.INSTANCE), Optional.empty(), 0, axes));
  }

  /** Number of elements that are true (not 0). */
  public static <T> Reduced<I64> countNonZero(Expr<T> a, int... axes) {
    return sum(a.cast(BOOL.INSTANCE).cast(I64.INSTANCE), axes);
  }

  /** Mean over axes; floating point only (cast integers first). NaN of nothing. */
  public static <T> Reduced<T> mean(Expr<T> a, int... axes) {
    requireFloat("mean", a);
    Expr<T> kept = meanKept(a, axes);
    return dropped(kept, a, axes);
  }

  /**
   * Variance over axes, divided by the number of elements (NumPy's default); the mean is subtracted
   * before squaring. Floating point only.
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

  /** {@code log(sum(exp(a)))} without overflow; of nothing, minus infinity. */
  public static <T> Reduced<T> logSumExp(Expr<T> a, int... axes) {
    requireFloat("logSumExp", a);
    if (a.shape().size() == 0) {
      return dropped(log(sum(exp(a), axes).keepDims()), a, axes);
    }
    Expr<T> high = new Stopped<>(finiteMax(a, axes));
    return dropped(log(sum(exp(a.minus(high)), axes).keepDims()).plus(high), a, axes);
  }

  /** Euclidean norm over axes: the root of the sum of squares, which may overflow. */
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

  /** Largest less smallest element over axes. */
  public static <T> Reduced<T> ptp(Expr<T> a, int... axes) {
    return dropped(max(a, axes).keepDims().minus(min(a, axes).keepDims()), a, axes);
  }

  // Rows

  /**
   * {@code exp(a - max) / sum(exp(a - max))} along an axis: one kernel. The shape stays; a row with
   * NaN or infinity, or of nothing but -infinity, becomes NaN.
   */
  public static <T> Expr<T> softmax(Expr<T> a, int axis) {
    requireFloat("softmax", a);
    if (a.shape().size() == 0) {
      return a;
    }
    // The shift changes nothing, so it has no slope either.
    Expr<T> e = exp(a.minus(new Stopped<>(max(a, axis).keepDims())));
    return e.times(reciprocal(sum(e, axis).keepDims()));
  }

  /** {@code a - max - log(sum(exp(a - max)))} along an axis: one kernel. NaN as in softmax. */
  public static <T> Expr<T> logSoftmax(Expr<T> a, int axis) {
    requireFloat("logSoftmax", a);
    if (a.shape().size() == 0) {
      return a;
    }
    Expr<T> shifted = a.minus(new Stopped<>(max(a, axis).keepDims()));
    return shifted.minus(log(sum(exp(shifted), axis).keepDims()));
  }

  /** {@code (a - mean) / sqrt(var + 1e-5)} along an axis: one kernel. */
  public static <T> Expr<T> layerNorm(Expr<T> a, int axis) {
    return layerNorm(a, axis, 1e-5);
  }

  /**
   * {@code (a - mean) / sqrt(var + epsilon)} along an axis: one kernel, of which epsilon is a
   * constant.
   */
  public static <T> Expr<T> layerNorm(Expr<T> a, int axis, double epsilon) {
    requireFloat("layerNorm", a);
    Expr<T> centered = a.minus(meanKept(a, axis));
    Expr<T> var = meanKept(centered.times(centered), axis);
    return centered.times(rsqrt(var.plus(literal(a, epsilon))));
  }

  // Scans

  /** Running sum along an axis; integers keep their dtype and wrap. */
  public static <T> Expr<T> cumSum(Expr<T> a, int axis) {
    return scan("cumSum", Op.ADD, a, axis);
  }

  /** Running product along an axis; integers keep their dtype and wrap. */
  public static <T> Expr<T> cumProd(Expr<T> a, int axis) {
    return scan("cumProd", Op.MUL, a, axis);
  }

  /** Running maximum along an axis; from the first NaN on, NaN. */
  public static <T> Expr<T> cumMax(Expr<T> a, int axis) {
    return scan("cumMax", Op.MAX, a, axis);
  }

  /** Running minimum along an axis; from the first NaN on, NaN. */
  public static <T> Expr<T> cumMin(Expr<T> a, int axis) {
    return scan("cumMin", Op.MIN, a, axis);
  }

  // A user's reduction

  /**
   * Folds with a lambda of your own: {@code reduce(a, 0f, (u, v) -> u + v, axes...)}. The lambda
   * must be associative, and the identity must leave every element as it is: elements are combined
   * in groups, with the identity any number of times. It is the result of nothing.
   *
   * @throws LambdaException if the lambda captures values or does what {@link
   *     ristretto.kernels.lambda} does not allow
   */
  public static Reduced<F32> reduce(
      Expr<F32> a, float identity, FloatLambda.ToFloat2 f, int... axes) {
    return fold(a, Float.floatToRawIntBits(identity) & 0xFFFFFFFFL, f, axes);
  }

  /** As {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}. */
  public static Reduced<F64> reduce(
      Expr<F64> a, double identity, DoubleLambda.ToDouble2 f, int... axes) {
    return fold(a, Double.doubleToRawLongBits(identity), f, axes);
  }

  /** As {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}. */
  public static Reduced<I32> reduce(Expr<I32> a, int identity, IntLambda.ToInt2 f, int... axes) {
    return fold(a, identity, f, axes);
  }

  /** As {@link #reduce(Expr, float, FloatLambda.ToFloat2, int...)}. */
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

  /** {@code kept} has the reduced axes as ones. */
  private static <T> Reduced<T> dropped(Expr<T> kept, Expr<?> a, int... axes) {
    return new Reduced<>(
        kept, Reduce.of(Reduction.Kind.SUM, a.dtype(), a, Optional.empty(), 0, axes).dropped());
  }

  private static <T> Expr<T> meanKept(Expr<T> a, int... axes) {
    Expr<T> sum = sum(a, axes).keepDims();
    double count = (double) a.shape().size() / sum.shape().size();
    return sum.div(a.number(count));
  }

  private static <T> Expr<T> varKept(Expr<T> a, int... axes) {
    Expr<T> centered = a.minus(meanKept(a, axes));
    return meanKept(centered.times(centered), axes);
  }

  /** The maximum, or 0 where it is infinite, so that infinite elements do not turn into NaN. */
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
