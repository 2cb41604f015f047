package ristretto.expr;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Transformations of functions of tensors: vectorization and derivatives.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class FunctionOps extends SignalOps {
  FunctionOps() {}

  // Vectorization

  /**
   * Applies {@code f} to each element of the leading axis: {@code a[n, ...] -> y[n, ...]}. {@code
   * f} is written for one element and runs once, with an expression that has the shape of an
   * element but no values; the operations are then rewritten with the axis n in front, so that the
   * number of kernels does not depend on n: element-wise functions fuse to one kernel, {@link
   * Ops#dot} becomes a batched product, gradients within f become gradients of each element.
   * Expressions of other tensors within f are the same for all elements, among them random numbers.
   * Operators of users that write memory ({@link LExpr} without {@link LExpr#batched}) or read
   * other positions than their own, and random numbers with a seed from {@code a}, run once per
   * element.
   *
   * @param a of rank 1 or more
   * @throws ShapeException if {@code f} evaluates its argument
   */
  public static <T, R> Expr<R> vmap(Function<? super Expr<T>, ? extends Expr<R>> f, Expr<T> a) {
    return vmap(f, a, 0);
  }

  /**
   * Applies {@code f} to each element of an axis, which becomes the leading axis of the result; see
   * {@link #vmap(Function, Expr)}.
   */
  @SuppressWarnings("unchecked")
  public static <T, R> Expr<R> vmap(
      Function<? super Expr<T>, ? extends Expr<R>> f, Expr<T> a, int axis) {
    return Batching.map(in -> f.apply((Expr<T>) in.get(0)), List.of(first(a, axis)));
  }

  /**
   * Applies {@code f} to each pair of elements of the leading axes: {@code a[n, ...], b[n, ...] ->
   * y[n, ...]}; see {@link #vmap(Function, Expr)}. An operand that is the same for all elements is
   * no argument: {@code vmap(x -> dot(w, x), a)}.
   */
  public static <A, B, R> Expr<R> vmap(
      BiFunction<? super Expr<A>, ? super Expr<B>, ? extends Expr<R>> f, Expr<A> a, Expr<B> b) {
    return vmap(f, a, 0, b, 0);
  }

  /**
   * Applies {@code f} to each pair of elements of an axis of {@code a} and an axis of {@code b},
   * which become the leading axis of the result; see {@link #vmap(Function, Expr)}.
   */
  @SuppressWarnings("unchecked")
  public static <A, B, R> Expr<R> vmap(
      BiFunction<? super Expr<A>, ? super Expr<B>, ? extends Expr<R>> f,
      Expr<A> a,
      int axisOfA,
      Expr<B> b,
      int axisOfB) {
    return Batching.map(
        in -> f.apply((Expr<A>) in.get(0), (Expr<B>) in.get(1)),
        List.of(first(a, axisOfA), first(b, axisOfB)));
  }

  /** View with an axis moved to the front. */
  private static <T> Expr<T> first(Expr<T> a, int axis) {
    if (a.shape().rank() == 0) {
      throw new ShapeException(
          "[vmap] operands must have an axis to map over; got "
              + a.label()
              + "; use it inside of f without mapping it.");
    }
    int d = a.shape().axis(axis, "vmap");
    int[] order = new int[a.shape().rank()];
    for (int k = 0; k < order.length; k++) {
      order[k] = k == 0 ? d : k <= d ? k - 1 : k;
    }
    return d == 0 ? a : a.permute(order);
  }

  // Derivatives

  /**
   * Derivatives of each element of {@code y} with respect to each element of {@code x}, of shape
   * {@code y.shape + x.shape}: one gradient per element of y, all in one batch. {@code x} must be
   * the very object that y was built from, as for {@link Ops#gradient}. If y depends on x element
   * by element, {@code gradient(y, x)} is the diagonal, without the zeros.
   *
   * @throws ShapeException if y is not computed from x, or an operation between them has no
   *     derivative
   */
  public static <T> Expr<T> jacobian(Expr<?> y, Expr<T> x) {
    return jacobianOf(y, x);
  }

  @SuppressWarnings("unchecked")
  private static <S, T> Expr<T> jacobianOf(Expr<S> y, Expr<T> x) {
    long[] dims = joined(y.shape(), x.shape());
    long m = y.shape().elements();
    if (m == 1) {
      return Ops.gradient(y, x).reshape(dims);
    }
    Shape square = Shape.of(m, m);
    Expr<S> units =
        ArrayManipulation.index(square, 0).eq(ArrayManipulation.index(square, 1)).cast(y.dtype());
    Expr<T> rows =
        Batching.map(
            in -> (Expr<T>) Gradients.of(y, (Expr<S>) in.get(0), List.of(x)).get(0),
            List.of(units.reshape(joined(Shape.of(m), y.shape()))));
    return rows.reshape(dims);
  }

  private static long[] joined(Shape a, Shape b) {
    long[] dims = java.util.Arrays.copyOf(a.extents(), a.rank() + b.rank());
    System.arraycopy(b.extents(), 0, dims, a.rank(), b.rank());
    return dims;
  }

  /**
   * Second derivatives of each element of {@code y} with respect to each pair of elements of {@code
   * x}, of shape {@code y.shape + x.shape + x.shape}: {@code jacobian(jacobian(y, x), x)}. For
   * products of a Hessian with vectors, {@link #hvp} computes no matrix.
   *
   * @throws ShapeException as {@link #jacobian}
   */
  public static <T> Expr<T> hessian(Expr<?> y, Expr<T> x) {
    return jacobian(jacobian(y, x), x);
  }

  /**
   * Product of the Hessian of {@code y} with a vector, of x's shape: the cost of two gradients.
   *
   * @param y one element
   * @param v of the shape of x
   * @throws ShapeException if the shapes do not fit, or as {@link #jacobian}
   */
  public static <T> Expr<T> hvp(Expr<?> y, Expr<T> x, Expr<T> v) {
    if (y.shape().elements() != 1) {
      throw new ShapeException(
          "[hvp] y must have one element; got y "
              + y.label()
              + "; sum it first, or use hessian(y, x) for the Hessian of each element.");
    }
    requireDirection("hvp", x, v);
    return Ops.gradient(Ops.gradient(y, x).times(v), x);
  }

  /**
   * Derivative of {@code y} in a direction: the product of the Jacobian with a vector, of y's
   * shape. Two gradients, without the Jacobian.
   *
   * @param v direction, of the shape of x
   * @throws ShapeException if the shapes do not fit, or as {@link #jacobian}
   */
  public static <R, T> Expr<R> jvp(Expr<R> y, Expr<T> x, Expr<T> v) {
    requireDirection("jvp", x, v);
    // The gradient is linear in its weight, so that any weight gives the derivative by the weight.
    Expr<R> weight = Scalars.filled(y.dtype(), y.shape(), 0);
    @SuppressWarnings("unchecked")
    var gradient = (Expr<T>) Gradients.of(y, weight, List.of(x)).get(0);
    return Ops.gradientOrZero(gradient.times(v), weight);
  }

  private static void requireDirection(String op, Expr<?> x, Expr<?> v) {
    if (!v.shape().canEqual(x.shape())) {
      throw new ShapeException(
          "[%s] the vector must have the shape of x; got x %s, v %s; expand or reshape v."
              .formatted(op, x.label(), v.label()));
    }
    Apply.requireEqual(op, x, v);
  }
}
