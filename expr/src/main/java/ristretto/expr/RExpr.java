package ristretto.expr;

import java.util.List;

/**
 * Expression whose elements are functions of elements of its inputs; inlined into the kernels of
 * its readers, without memory. Subclasses are element-wise or index-mapping operators:
 *
 * <pre>{@code
 * final class Hypot3<T> extends RExpr<T> {
 *   Hypot3(Expr<T> a, Expr<T> b, Expr<T> c) {
 *     super(a.dtype(), a.shape(), a, b, c);
 *   }
 *
 *   protected Scalar read(Reads in) {
 *     Scalar a = in.input(0), b = in.input(1), c = in.input(2);
 *     return a.times(a).plus(b.times(b)).plus(c.times(c)).sqrt();
 *   }
 * }
 * }</pre>
 */
public abstract non-sealed class RExpr<T> extends Expr<T> implements RValue<T> {
  /** Creates an operator with the dtype and shape of its result and its inputs. */
  protected RExpr(DType<T> dtype, Shape shape, Expr<?>... inputs) {
    super(dtype, shape, List.of(inputs));
  }

  RExpr(DType<T> dtype, Shape shape, List<? extends Expr<?>> inputs) {
    super(dtype, shape, inputs);
  }

  /**
   * Formula of the element at the current index. Called during planning, possibly several times,
   * never while a kernel runs; must depend on {@code in}, the inputs and {@link #key()} only.
   */
  protected abstract Scalar read(Reads in);

  /**
   * Gradients with respect to the inputs, for the output gradient {@code dy} (vector-Jacobian
   * products). The default derives them from {@link #read}, which must read its inputs at the
   * current index only; expressions that read at other indices override this method.
   *
   * @return for each input an expression of the input's shape or of a shape that the input's
   *     broadcasts to (then summed over the broadcast axes), or null for no gradient
   * @throws ristretto.kernels.ShapeException if no gradient can be derived
   */
  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return PointwiseGradient.of(this, dy);
  }

  /**
   * Cache key of the operator; by default its class if the operator declares no fields, or else the
   * object itself, which shares kernels with no other object. Operators with fields override this
   * method with the values that their kernels depend on.
   */
  @Override
  protected Object key() {
    return OwnFields.in(getClass()) ? this : getClass();
  }
}
