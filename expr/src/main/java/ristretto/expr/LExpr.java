package ristretto.expr;

import java.util.List;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.graph.Barrier.CustomBarrier;
import ristretto.expr.graph.BarrierWork;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.type.DType;
import ristretto.expr.type.LValue;
import ristretto.expr.type.Shape;

/**
 * Expression that writes its result to memory: a barrier for fusion. Subclasses are operators of
 * more than one kernel: {@link #prepare} states the requirements on inputs, {@link #execute} fills
 * the target, by assignments of further expressions or by host code.
 */
public abstract non-sealed class LExpr<T> extends Expr<T> {
  /** Creates an operator with the dtype and shape of its result and its inputs. */
  protected LExpr(DType<T> dtype, Shape shape, Expr<?>... inputs) {
    super(Own.INSTANCE, dtype, shape, List.of(inputs));
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
  protected List<Expr<?>> gradients(Expr<T> dy) {
    throw noDerivative();
  }

  /**
   * Rule of {@link Ops#vmap}: this operator applied to each element of a leading axis that all
   * inputs have. The default, null, applies the operator once per element.
   *
   * @param inputs the inputs with a leading axis of one extent
   * @return the results, with the leading axis; or null
   */
  protected Expr<T> batched(List<Expr<?>> inputs) {
    return null;
  }

  /**
   * Cache key of the operator; by default its class if the operator declares no fields, or else the
   * object itself, which shares kernels with no other object. Operators with fields override this
   * method with the values that their kernels depend on.
   */
  protected Object key() {
    return RExpr.hasFields(getClass()) ? this : getClass();
  }

  /** Adds launch scalars to {@code sink}; see {@link RExpr#scalars}. */
  protected void scalars(ScalarSink sink) {}

  @Override
  public String toString() {
    return getClass().getSimpleName() + " " + label();
  }

  /** Operation that calls the methods of a user's operator. */
  private static final class Own implements CustomBarrier {
    static final Own INSTANCE = new Own();

    @Override
    public Object key(Term term) {
      return ((LExpr<?>) term).key();
    }

    @Override
    public void scalars(Term term, ScalarSink sink) {
      ((LExpr<?>) term).scalars(sink);
    }

    @Override
    public void prepare(Term term, BarrierWork work) {
      ((LExpr<?>) term).prepare(new Assignment(work));
    }

    @Override
    public void execute(Term term, BarrierWork work, StorageView target) {
      execute((LExpr<?>) term, work, target);
    }

    private static <T> void execute(LExpr<T> e, BarrierWork work, StorageView target) {
      e.execute(new Assignment(work), new Tensor<>(e.dtype(), target));
    }

    @Override
    public String text(Term term) {
      return term.toString();
    }
  }
}
