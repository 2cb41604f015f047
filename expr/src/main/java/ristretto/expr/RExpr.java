package ristretto.expr;

import java.util.List;

/**
 * An expression that gives each of its elements as a function of elements of its inputs. It needs
 * no memory: it is inlined into the kernel of whoever reads it. Extend it to add an element-wise or
 * index-changing operator:
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
  /** An operator with this result, computed from these inputs. */
  protected RExpr(DType<T> dtype, Shape shape, Expr<?>... inputs) {
    super(dtype, shape, List.of(inputs));
  }

  RExpr(DType<T> dtype, Shape shape, List<? extends Expr<?>> inputs) {
    super(dtype, shape, inputs);
  }

  /**
   * The element at the current index. Called while a kernel is planned, possibly several times,
   * never while it runs; must depend on nothing but {@code in}, the inputs and what {@link #key()}
   * tells.
   */
  protected abstract Scalar read(Reads in);

  /**
   * What each input is weighted with if this expression is weighted with {@code dy}: the
   * derivative's part in a gradient. By default it is derived from {@link #read}, which must then
   * read its inputs at the current index only; an expression that reads elsewhere overrides it.
   *
   * @return for each input an expression that broadcasting made of the input's shape or wider (it
   *     is summed to the input's shape), or null for one without influence
   * @throws ristretto.kernels.ShapeException if it cannot be derived
   */
  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return PointwiseGradient.of(this, dy);
  }

  /**
   * By default the class, for operators without fields of their own; one with fields is taken to
   * differ from every other object until it says here what its kernel depends on.
   */
  @Override
  protected Object key() {
    return OwnFields.in(getClass()) ? this : getClass();
  }
}
