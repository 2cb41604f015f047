package ristretto.expr;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/** First entries of each sorted row along an axis: values, or positions (I64). */
final class Sort<T> extends LExpr<T> {
  private record Key(int axis, boolean descending, boolean positions) {}

  private final Key key;

  Sort(DType<T> dtype, Shape shape, Expr<?> a, int axis, boolean descending, boolean positions) {
    super(dtype, shape, a);
    this.key = new Key(axis, descending, positions);
  }

  Form described() {
    return new Form.Sort(key.axis, key.descending, key.positions);
  }

  @Override
  protected Object key() {
    return key;
  }

  @Override
  protected void prepare(Assignment assignment) {
    assignment.requireMemory(inputs().get(0));
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    Tensor<?> to = (Tensor<?>) target;
    Tensor<?> from = assignment.memory(inputs().get(0));
    ViewOp order = Scan.axisLast(from.shape(), key.axis);
    ViewOp toOrder = Scan.axisLast(shape(), key.axis);
    Operand.Memory out = assignment.memory(to, toOrder.apply(to.layout().map()));
    Operand.Memory in = assignment.memory(from, order.apply(from.layout().map()));
    PlanBuilder plan = assignment.plan();
    plan.add(
        new Kernel.Sort(
            "sort_" + from.dtype() + (key.descending ? "_descending" : "_ascending"),
            order.dims(),
            key.descending,
            shape().at(key.axis),
            in,
            key.positions ? Optional.empty() : Optional.of(out),
            key.positions ? Optional.of(out) : Optional.empty()),
        plan.name(out.buffer()) + " " + to.label() + " = " + this);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    if (key.positions) {
      return Collections.singletonList(null);
    }
    Expr<?> from = inputs().get(0);
    var order = new Sort<>(I64.INSTANCE, shape(), from, key.axis, key.descending, true);
    return List.of(new Scatter<>(from.shape(), key.axis, true, order, dy));
  }

  @Override
  public String toString() {
    return (key.positions ? "argSort" : "sort") + " along " + key.axis;
  }
}
