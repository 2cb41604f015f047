package ristretto.symbolic;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.I32;
import ristretto.expr.I64;
import ristretto.expr.Ops;

/** Functions of {@code Ops} for variables: element-wise, reductions, and at indices. */
abstract class MathLayers {
  MathLayers() {}

  // Element-wise functions

  /** Exponential function, {@code e^v}. */
  public static <T> Variable<T> exp(Variable<T> v) {
    return Layers.apply("exp", v.dtype(), x -> Ops.exp(x.get(v)), v);
  }

  /** Natural logarithm. */
  public static <T> Variable<T> log(Variable<T> v) {
    return Layers.apply("log", v.dtype(), x -> Ops.log(x.get(v)), v);
  }

  /** Square root. */
  public static <T> Variable<T> sqrt(Variable<T> v) {
    return Layers.apply("sqrt", v.dtype(), x -> Ops.sqrt(x.get(v)), v);
  }

  /** Sine; angles in radians. */
  public static <T> Variable<T> sin(Variable<T> v) {
    return Layers.apply("sin", v.dtype(), x -> Ops.sin(x.get(v)), v);
  }

  /** Cosine; angles in radians. */
  public static <T> Variable<T> cos(Variable<T> v) {
    return Layers.apply("cos", v.dtype(), x -> Ops.cos(x.get(v)), v);
  }

  /** Square, {@code v v}. */
  public static <T> Variable<T> square(Variable<T> v) {
    return Layers.apply("square", v.dtype(), x -> Ops.square(x.get(v)), v);
  }

  /** Absolute value, with slope 0 at 0. */
  public static <T> Variable<T> abs(Variable<T> v) {
    return Layers.apply("abs", v.dtype(), x -> Ops.abs(x.get(v)), v);
  }

  /** Power, {@code v^exponent}. */
  public static <T> Variable<T> pow(Variable<T> v, double exponent) {
    return Layers.apply("pow", v.dtype(), x -> x.get(v).pow(exponent), v);
  }

  /** Element-wise maximum, broadcast by NumPy's rule. */
  public static <T> Variable<T> maximum(Variable<T> a, Variable<T> b) {
    return Layers.apply("maximum", a.dtype(), x -> Ops.max(x.get(a), x.get(b)), a, b);
  }

  /** Element-wise minimum, broadcast by NumPy's rule. */
  public static <T> Variable<T> minimum(Variable<T> a, Variable<T> b) {
    return Layers.apply("minimum", a.dtype(), x -> Ops.min(x.get(a), x.get(b)), a, b);
  }

  // Reductions

  /** Largest element over axes, or over all axes if none is named. */
  public static <T> Variable<T> max(Variable<T> v, int... axes) {
    return Layers.apply("max", v.dtype(), x -> Ops.max(x.get(v), axes), v);
  }

  /** Smallest element over axes, or over all axes if none is named. */
  public static <T> Variable<T> min(Variable<T> v, int... axes) {
    return Layers.apply("min", v.dtype(), x -> Ops.min(x.get(v), axes), v);
  }

  /** Variance (mean squared deviation) over axes, or over all axes if none is named. */
  public static <T> Variable<T> variance(Variable<T> v, int... axes) {
    return Layers.apply("variance", v.dtype(), x -> Ops.var(x.get(v), axes), v);
  }

  /** Index of the largest element along an axis; the first one of equal elements. */
  public static Variable<I64> argMax(Variable<?> v, int axis) {
    return Layers.apply("argMax", Ops.I64, x -> Ops.argMax(x.get(v), axis), v);
  }

  /** Product over axes, or over all axes if none is named. */
  public static <T> Variable<T> prod(Variable<T> v, int... axes) {
    return Layers.apply("prod", v.dtype(), x -> Ops.prod(x.get(v), axes), v);
  }

  /**
   * Log-sum-exp, {@code log(sum(exp(v)))}, over axes, or over all axes if none is named; without
   * overflow.
   */
  public static <T> Variable<T> logSumExp(Variable<T> v, int... axes) {
    return Layers.apply("logSumExp", v.dtype(), x -> Ops.logSumExp(x.get(v), axes), v);
  }

  /** Log-softmax, {@code log(softmax(v))}, along an axis, without overflow. */
  public static <T> Variable<T> logSoftmax(Variable<T> v, int axis) {
    return Layers.apply("logSoftmax", v.dtype(), x -> Ops.logSoftmax(x.get(v), axis), v);
  }

  // Gathers

  /** Slices of {@code v} at indices along an axis; the axes of the indices replace that axis. */
  public static <T> Variable<T> take(Variable<T> v, Variable<I32> indices, int axis) {
    return Layers.apply(
        "take", v.dtype(), x -> Ops.take(x.get(v), x.get(indices), axis), v, indices);
  }

  /** Elements of {@code v} at indices of the same rank along an axis, like torch.gather. */
  public static <T> Variable<T> gather(Variable<T> v, Variable<I32> indices, int axis) {
    return Layers.apply(
        "gather", v.dtype(), x -> Ops.takeAlongAxis(x.get(v), x.get(indices), axis), v, indices);
  }

  // Shapes

  /** Transpose: reverses the order of the axes. */
  public static <T> Variable<T> transpose(Variable<T> v) {
    return Layers.apply("transpose", v.dtype(), x -> x.get(v).t(), v);
  }

  /** Inserts an axis of size 1 at a position. */
  public static <T> Variable<T> unsqueeze(Variable<T> v, int axis) {
    return Layers.apply("unsqueeze", v.dtype(), x -> x.get(v).unsqueeze(axis), v);
  }

  /** Removes axes of size 1. */
  public static <T> Variable<T> squeeze(Variable<T> v, int... axes) {
    return Layers.apply("squeeze", v.dtype(), x -> x.get(v).squeeze(axes), v);
  }

  // Stacking

  /** Stacks variables of one shape along a new axis. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Variable<T> stack(int axis, Variable<T>... parts) {
    List<Variable<T>> all = List.of(parts);
    return Layers.apply(
        "stack",
        all.get(0).dtype(),
        x -> Ops.stack(axis, all.stream().<Expr<T>>map(x::get).toList()),
        parts);
  }
}
