package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Operand;

/** Adds values to zeros at positions along an axis: the gradient of a gather. Deterministic. */
final class Scatter<T> extends LExpr<T> {
  private final int axis;
  private final boolean along;

  /**
   * Creates a scatter.
   *
   * @param along true if the index has the values' shape; false if the index's shape replaces the
   *     axis in the values' shape
   */
  Scatter(Shape shape, int axis, boolean along, Expr<?> indices, Expr<T> values) {
    super(values.dtype(), shape, indices, values);
    this.axis = axis;
    this.along = along;
  }

  @Override
  protected Object key() {
    return (along ? "along " : "take ") + axis;
  }

  @Override
  protected void prepare(Assignment assignment) {
    assignment.requireMemory(inputs().get(0));
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    Tensor<?> to = (Tensor<?>) target;
    PlanBuilder plan = assignment.plan();
    var zeros = new Assignment(plan, to, Scalars.literal(to.dtype(), 0));
    Expr<?> values = inputs().get(1);
    if (values.shape().size() == 0) {
      zeros.run();
      return;
    }
    Tensor<?> index = assignment.memory(inputs().get(0));
    Lowering.Parts parts = Lowering.of(plan, values, null);
    // Zero the target only after all operands are planned: an index error must leave the target
    // unchanged.
    zeros.run();
    long[] dims = values.shape().toArray();
    int indexRank = index.shape().rank();
    long[] strides = new long[dims.length];
    long[] indexStrides = new long[dims.length];
    IndexMap into = to.layout().map();
    IndexMap by = index.layout().map();
    for (int d = 0; d < dims.length; d++) {
      if (along) {
        strides[d] = d == axis ? 0 : into.strides[d];
        indexStrides[d] = by.strides[d];
      } else if (d >= axis && d < axis + indexRank) {
        indexStrides[d] = by.strides[d - axis];
      } else {
        strides[d] = into.strides[d < axis ? d : d - indexRank + 1];
      }
    }
    var gather =
        new Operand.Gather(
            index.dtype().scalar(),
            plan.number(index.storage()),
            IndexMap.of(dims, indexStrides, by.offset).affine(),
            into.strides[axis],
            into.dims[axis]);
    plan.add(
        new Kernel.Scatter(
            KernelNames.of("scatter", parts.tape(), dtype().scalar(), "add", 0),
            values.shape().longs(),
            parts.tape(),
            parts.inputs(),
            new Operand.Memory(
                to.dtype().scalar(),
                plan.number(to.storage()),
                IndexMap.of(dims, strides, into.offset).affine(),
                Optional.of(gather),
                List.of())),
        plan.name(plan.number(to.storage())) + " " + to.label() + " += " + this);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    Shape values = inputs().get(1).shape();
    return Arrays.asList(null, new Gather<>(dy, inputs().get(0), values, axis, along));
  }

  @Override
  public String toString() {
    return "scatterAdd along " + axis;
  }
}
