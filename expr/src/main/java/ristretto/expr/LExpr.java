package ristretto.expr;

import java.util.List;

/**
 * An expression that writes memory: a barrier for fusion. Extend it to add an operator that is more
 * than one kernel: {@link #prepare} states what it demands of its inputs, {@link #execute} brings
 * the result into the target, by assignments of further expressions or by code of its own on the
 * host.
 */
public abstract non-sealed class LExpr<T> extends Expr<T> {
  /** An operator with this result, computed from these inputs. */
  protected LExpr(DType<T> dtype, Shape shape, Expr<?>... inputs) {
    super(dtype, shape, List.of(inputs));
  }

  LExpr(DType<T> dtype, Shape shape, List<? extends Expr<?>> inputs) {
    super(dtype, shape, inputs);
  }

  /**
   * First pass: states demands, by {@link Assignment#requireMemory} and {@link
   * Assignment#requireContiguous}. Without a demand an input stays an expression.
   */
  protected void prepare(Assignment assignment) {}

  /**
   * Second pass: plans the work that fills {@code target}, which has this expression's shape and
   * overlaps no input.
   */
  protected abstract void execute(Assignment assignment, LValue<T> target);

  /**
   * What each input is weighted with if this expression is weighted with {@code dy}: the
   * derivative's part in a gradient. An operator that has one says it here.
   *
   * @return for each input an expression of its shape, or null for one without influence
   * @throws ristretto.kernels.ShapeException by default
   */
  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    throw Gradients.missing(this);
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
