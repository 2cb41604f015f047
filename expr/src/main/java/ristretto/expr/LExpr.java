package ristretto.expr;

import java.util.List;

/**
 * Expression that writes its result to memory: a barrier for fusion. Subclasses are operators of
 * more than one kernel: {@link #prepare} states the requirements on inputs, {@link #execute} fills
 * the target, by assignments of further expressions or by host code.
 */
public abstract non-sealed class LExpr<T> extends Expr<T> {
  /** Creates an operator with the dtype and shape of its result and its inputs. */
  protected LExpr(DType<T> dtype, Shape shape, Expr<?>... inputs) {
    super(dtype, shape, List.of(inputs));
  }

  LExpr(DType<T> dtype, Shape shape, List<? extends Expr<?>> inputs) {
    super(dtype, shape, inputs);
  }

  /**
   * First pass: states requirements on inputs by {@link Assignment#requireMemory} and {@link
   * Assignment#requireContiguous}. An input without a requirement stays an expression.
   */
  protected void prepare(Assignment assignment) {}

  /**
   * Second pass: plans the work that fills {@code target}, which has this expression's shape and
   * overlaps no input.
   */
  protected abstract void execute(Assignment assignment, LValue<T> target);

  /**
   * Gradients with respect to the inputs, for the output gradient {@code dy} (vector-Jacobian
   * products). Differentiable operators override this method.
   *
   * @return for each input an expression of its shape, or null for no gradient
   * @throws ristretto.kernels.ShapeException by default
   */
  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    throw Gradients.missing(this);
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
