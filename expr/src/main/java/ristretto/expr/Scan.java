package ristretto.expr;

import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Op;

/** Running sum, product, maximum or minimum along an axis; takes a fused prologue. */
final class Scan<T> extends LExpr<T> {
  private record Key(Op op, int axis, boolean reverse, boolean exclusive) {}

  private final Key key;

  Scan(Expr<T> a, Op op, int axis, boolean reverse, boolean exclusive) {
    super(a.dtype(), a.shape(), a);
    this.key = new Key(op, axis, reverse, exclusive);
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
    Lowering lowering = Lowering.forMap(plan);
    int row = lowering.read(inputs().get(0), new ViewChain(order, null));
    Lowering.Parts parts = lowering.finish(row);
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
