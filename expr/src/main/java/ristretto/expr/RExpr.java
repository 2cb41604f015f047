package ristretto.expr;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.graph.CustomFormula;
import ristretto.expr.graph.Term;
import ristretto.expr.type.DType;
import ristretto.expr.type.RValue;
import ristretto.expr.type.Shape;

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
    super(Own.INSTANCE, dtype, shape, List.of(inputs));
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
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return FormulaGradient.of(this, dy);
  }

  /**
   * Cache key of the operator; by default its class if the operator declares no fields, or else the
   * object itself, which shares kernels with no other object. Operators with fields override this
   * method with the values that their kernels depend on.
   */
  protected Object key() {
    return hasFields(getClass()) ? this : getClass();
  }

  /**
   * Adds the launch scalars of this expression to {@code sink}: numbers that may differ between
   * launches of one kernel, read by {@link Reads#number}. The count and dtypes of the scalars must
   * depend on {@link #key()} only.
   */
  protected void scalars(ScalarSink sink) {}

  @Override
  public String toString() {
    return getClass().getSimpleName() + " " + label();
  }

  /** Presence of instance fields by class of operators; kernels may depend on fields. */
  private static final ClassValue<Boolean> HAS_FIELDS =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          for (Class<?> c = type; c != RExpr.class && c != LExpr.class; c = c.getSuperclass()) {
            for (Field f : c.getDeclaredFields()) {
              if (!Modifier.isStatic(f.getModifiers())) {
                return true;
              }
            }
          }
          return false;
        }
      };

  /** Returns true if a user's operator has instance fields. */
  static boolean hasFields(Class<?> operator) {
    return HAS_FIELDS.get(operator);
  }

  /** Operation that calls the methods of a user's operator. */
  private static final class Own implements CustomFormula {
    static final Own INSTANCE = new Own();

    @Override
    public Object key(Term term) {
      return ((RExpr<?>) term).key();
    }

    @Override
    public void scalars(Term term, ScalarSink sink) {
      ((RExpr<?>) term).scalars(sink);
    }

    @Override
    public Scalar read(Term term, Reads in) {
      return ((RExpr<?>) term).read(in);
    }

    @Override
    public String text(Term term) {
      return term.toString();
    }
  }
}
