package ristretto.symbolic.layers;

import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Formula;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Variable;

/** Functions of {@code Ops} for variables: element-wise, reductions, and at indices. */
public abstract class MathLayers {
  MathLayers() {}

  /**
   * Applies a user-defined operator, given by its formula; the gradient is derived.
   *
   * <pre>{@code
   * Variable<F32> y = apply("swish", F32, x -> x.get(v).times(sigmoid(x.get(v))), v);
   * }</pre>
   *
   * @param name name for messages
   * @param dtype dtype of the result
   * @param inputs variables that the formula reads
   */
  public static <T> Variable<T> apply(
      String name, DType<T> dtype, Formula<T> formula, Variable<?>... inputs) {
    return FormulaOperator.apply(name, dtype, formula, inputs);
  }

  static <T> Variable<T> unary(String name, Variable<T> v, UnaryOperator<Expr<T>> f) {
    return apply(name, v.dtype(), x -> f.apply(x.get(v)), v);
  }

  // Element-wise functions

  /** Exponential function, {@code e^v}. */
  public static <T> Variable<T> exp(Variable<T> v) {
    return apply("exp", v.dtype(), x -> Ops.exp(x.get(v)), v);
  }

  /** Natural logarithm. */
  public static <T> Variable<T> log(Variable<T> v) {
    return apply("log", v.dtype(), x -> Ops.log(x.get(v)), v);
  }

  /** Square root. */
  public static <T> Variable<T> sqrt(Variable<T> v) {
    return apply("sqrt", v.dtype(), x -> Ops.sqrt(x.get(v)), v);
  }

  /** Sine; angles in radians. */
  public static <T> Variable<T> sin(Variable<T> v) {
    return apply("sin", v.dtype(), x -> Ops.sin(x.get(v)), v);
  }

  /** Cosine; angles in radians. */
  public static <T> Variable<T> cos(Variable<T> v) {
    return apply("cos", v.dtype(), x -> Ops.cos(x.get(v)), v);
  }

  /** Square, {@code v v}. */
  public static <T> Variable<T> square(Variable<T> v) {
    return apply("square", v.dtype(), x -> Ops.square(x.get(v)), v);
  }

  /** Absolute value, with slope 0 at 0. */
  public static <T> Variable<T> abs(Variable<T> v) {
    return apply("abs", v.dtype(), x -> Ops.abs(x.get(v)), v);
  }

  /** Power, {@code v^exponent}. */
  public static <T> Variable<T> pow(Variable<T> v, double exponent) {
    return apply("pow", v.dtype(), x -> x.get(v).pow(exponent), v);
  }

  /** Element-wise maximum, broadcast by NumPy's rule. */
  public static <T> Variable<T> maximum(Variable<T> a, Variable<T> b) {
    return apply("maximum", a.dtype(), x -> Ops.max(x.get(a), x.get(b)), a, b);
  }

  /** Element-wise minimum, broadcast by NumPy's rule. */
  public static <T> Variable<T> minimum(Variable<T> a, Variable<T> b) {
    return apply("minimum", a.dtype(), x -> Ops.min(x.get(a), x.get(b)), a, b);
  }

  // Products

  /**
   * Matrix product, {@code a[m, k], b[k, n] -> [m, n]}; for ranks above 2, batched, with broadcast
   * batch dimensions.
   */
  public static <T> Variable<T> dot(Variable<T> a, Variable<T> b) {
    return apply("dot", a.dtype(), x -> Ops.dot(x.get(a), x.get(b)), a, b);
  }

  // Reductions

  /** Sum over axes, or over all axes if none is named. */
  public static <T> Variable<T> sum(Variable<T> v, int... axes) {
    return unary("sum", v, a -> Ops.sum(a, axes));
  }

  /** Mean over axes, or over all axes if none is named. */
  public static <T> Variable<T> mean(Variable<T> v, int... axes) {
    return unary("mean", v, a -> Ops.mean(a, axes));
  }

  /** Largest element over axes, or over all axes if none is named. */
  public static <T> Variable<T> max(Variable<T> v, int... axes) {
    return apply("max", v.dtype(), x -> Ops.max(x.get(v), axes), v);
  }

  /** Smallest element over axes, or over all axes if none is named. */
  public static <T> Variable<T> min(Variable<T> v, int... axes) {
    return apply("min", v.dtype(), x -> Ops.min(x.get(v), axes), v);
  }

  /** Variance (mean squared deviation) over axes, or over all axes if none is named. */
  public static <T> Variable<T> variance(Variable<T> v, int... axes) {
    return apply("variance", v.dtype(), x -> Ops.var(x.get(v), axes), v);
  }

  /** Index of the largest element along an axis; the first one of equal elements. */
  public static Variable<I64> argMax(Variable<?> v, int axis) {
    return apply("argMax", Ops.I64, x -> Ops.argMax(x.get(v), axis), v);
  }

  /** Product over axes, or over all axes if none is named. */
  public static <T> Variable<T> prod(Variable<T> v, int... axes) {
    return apply("prod", v.dtype(), x -> Ops.prod(x.get(v), axes), v);
  }

  /**
   * Log-sum-exp, {@code log(sum(exp(v)))}, over axes, or over all axes if none is named; without
   * overflow.
   */
  public static <T> Variable<T> logSumExp(Variable<T> v, int... axes) {
    return apply("logSumExp", v.dtype(), x -> Ops.logSumExp(x.get(v), axes), v);
  }

  /** Log-softmax, {@code log(softmax(v))}, along an axis, without overflow. */
  public static <T> Variable<T> logSoftmax(Variable<T> v, int axis) {
    return apply("logSoftmax", v.dtype(), x -> Ops.logSoftmax(x.get(v), axis), v);
  }

  // Gathers

  /**
   * Slices of {@code v} at indices along an axis; the axes of the indices replace that axis.
   * Indices from -n to -1 count from the end, as in NumPy; others out of range are errors of the
   * run.
   */
  public static <T> Variable<T> take(Variable<T> v, Variable<I32> indices, int axis) {
    return apply("take", v.dtype(), x -> Ops.take(x.get(v), x.get(indices), axis), v, indices);
  }

  /**
   * Elements of {@code v} at indices of the same rank along an axis, like torch.gather. Indices
   * from -n to -1 count from the end, as in NumPy; others out of range are errors of the run.
   */
  public static <T> Variable<T> gather(Variable<T> v, Variable<I32> indices, int axis) {
    return apply(
        "gather", v.dtype(), x -> Ops.takeAlongAxis(x.get(v), x.get(indices), axis), v, indices);
  }

  // Shapes

  /** Reshapes a variable; one dimension may be -1, like in {@link Expr#reshape}. */
  public static <T> Variable<T> reshape(Variable<T> v, long... dims) {
    return unary("reshape", v, a -> a.reshape(dims));
  }

  /** Merges all axes but the first into one: {@code v[n, ...] -> [n, k]}. */
  public static <T> Variable<T> flatten(Variable<T> v) {
    return unary("flatten", v, a -> a.reshape(a.shape().at(0), -1));
  }

  /** Concatenates variables along an axis. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Variable<T> concat(int axis, Variable<T>... parts) {
    List<Variable<T>> all = some("concat", List.of(parts));
    return apply(
        "concat",
        all.get(0).dtype(),
        x -> Ops.concat(axis, all.stream().map(x::get).toList()),
        parts);
  }

  /** Permutes axes: axis d of the result is axis {@code axes[d]} of {@code v}. */
  public static <T> Variable<T> permute(Variable<T> v, int... axes) {
    return unary("permute", v, a -> a.permute(axes));
  }

  /** Slices a variable like {@link Expr#slice}. */
  public static <T> Variable<T> slice(Variable<T> v, Slice... slices) {
    return unary("slice", v, a -> a.slice(slices));
  }

  /** Transpose: reverses the order of the axes. */
  public static <T> Variable<T> transpose(Variable<T> v) {
    return apply("transpose", v.dtype(), x -> x.get(v).t(), v);
  }

  /** Inserts an axis of size 1 at a position. */
  public static <T> Variable<T> unsqueeze(Variable<T> v, int axis) {
    return apply("unsqueeze", v.dtype(), x -> x.get(v).unsqueeze(axis), v);
  }

  /** Removes axes of size 1. */
  public static <T> Variable<T> squeeze(Variable<T> v, int... axes) {
    return apply("squeeze", v.dtype(), x -> x.get(v).squeeze(axes), v);
  }

  // Stacking

  /** Stacks variables of one shape along a new axis. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Variable<T> stack(int axis, Variable<T>... parts) {
    List<Variable<T>> all = some("stack", List.of(parts));
    return apply(
        "stack",
        all.get(0).dtype(),
        x -> Ops.stack(axis, all.stream().<Expr<T>>map(x::get).toList()),
        parts);
  }

  private static <T> List<Variable<T>> some(String op, List<Variable<T>> parts) {
    if (parts.isEmpty()) {
      throw new ShapeException("[" + op + "] there must be at least one part; got none.");
    }
    return parts;
  }
}
