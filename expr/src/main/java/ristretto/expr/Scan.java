package ristretto.expr;

import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Op;

/**
 * Cumulative sum, product, maximum or minimum along an axis; its operand is fused as a prologue.
 */
final class Scan<T> extends LExpr<T> {
  private record Key(Op op, int axis, boolean reverse, boolean exclusive) {}

  private final Key key;

  Scan(Expr<T> a, Op op, int axis, boolean reverse, boolean exclusive) {
    super(a.dtype(), a.shape(), a);
    this.key = new Key(op, axis, reverse, exclusive);
  }

  Form described() {
    return new Form.Scan(key.op.word(), key.axis, key.reverse, key.exclusive);
  }

  @Override
  protected Object key() {
    return key;
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    Tensor<?> to = (Tensor<?>) target;
    ViewOp order = axisLast(shape(), key.axis);
    PlanBuilder plan = assignment.plan();
    Lowering.Parts parts = Lowering.of(plan, inputs().get(0), new ViewChain(order, null));
    int way = (key.reverse ? 2 : 0) + (key.exclusive ? 1 : 0);
    plan.add(
        new Kernel.Scan(
            KernelNames.of("scan", parts.tape(), dtype().scalar(), key.op.word(), way),
            order.dims(),
            key.op,
            key.reverse,
            key.exclusive,
            parts.tape(),
            parts.inputs(),
            assignment.memory(to, order.apply(to.layout().map()))),
        plan.name(plan.number(to.storage())) + " " + to.label() + " = " + this);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    @SuppressWarnings("unchecked")
    var x = (Expr<T>) inputs().get(0);
    return switch (key.op) {
      case ADD -> List.of(new Scan<>(dy, Op.ADD, key.axis, !key.reverse, key.exclusive));
      case MUL -> List.of(products(x, dy));
      default -> {
        // The gradient of a cumulative extreme goes to the element that attains it.
        if (key.exclusive) {
          throw Gradients.missing(this);
        }
        Expr<I64> at = new Index(shape(), key.axis);
        Expr<I64> never = Scalars.literal(I64.INSTANCE, key.reverse ? shape().at(key.axis) - 1 : 0);
        Expr<I64> found = Ops.where(x.eq(this), at, never);
        Op latest = key.reverse ? Op.MIN : Op.MAX;
        Expr<I64> place = new Scan<>(found, latest, key.axis, key.reverse, false);
        yield List.of(new Scatter<>(shape(), key.axis, true, place, dy));
      }
    };
  }

  /**
   * Gradient of a cumulative product, which contains each earlier element once; NaN for elements of
   * 0.
   */
  private Expr<T> products(Expr<T> x, Expr<T> dy) {
    Expr<T> weighted = dy.times(this);
    return new Scan<>(weighted, Op.ADD, key.axis, !key.reverse, key.exclusive).div(x);
  }

  static ViewOp.Permute axisLast(Shape shape, int axis) {
    int rank = shape.rank();
    long[] axes = new long[rank];
    long[] dims = new long[rank];
    for (int d = 0; d < rank; d++) {
      axes[d] = d == rank - 1 ? axis : d < axis ? d : d + 1;
      dims[d] = shape.at((int) axes[d]);
    }
    return new ViewOp.Permute(Longs.of(axes), Longs.of(dims));
  }

  @Override
  public String toString() {
    return "cumulative " + key.op.word() + " along " + key.axis;
  }
}
