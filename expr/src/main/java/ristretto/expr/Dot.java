package ristretto.expr;

import java.util.List;
import java.util.Optional;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Matrix product {@code a[..., m, k], b[..., k, n] -> y[..., m, n]} by a library GEMM; F32 and F64.
 */
final class Dot<T> extends LExpr<T> {
  Dot(Shape shape, Expr<T> a, Expr<T> b) {
    super(a.dtype(), shape, a, b);
  }

  /**
   * Returns true if a GEMM can write the tensor: unit stride within rows, and rows that do not
   * overlap.
   */
  static boolean canWrite(Tensor<?> to) {
    IndexMap map = to.layout().map();
    int rank = map.dims.length;
    if (rank < 2) {
      return map.isContiguous();
    }
    return (map.strides[rank - 1] == 1 || map.dims[rank - 1] == 1)
        && (map.strides[rank - 2] >= map.dims[rank - 1] || map.dims[rank - 2] == 1);
  }

  @Override
  protected void prepare(Assignment assignment) {
    assignment.requireMemory(inputs().get(0));
    assignment.requireMemory(inputs().get(1));
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    Tensor<?> to = (Tensor<?>) target;
    if (canWrite(to)) {
      multiply(assignment, to, 1, null, 0);
      return;
    }
    Tensor<T> temp = assignment.temporary(dtype(), shape());
    var plan = assignment.plan();
    plan.note(
        plan.name(plan.number(temp.storage()))
            + " "
            + temp.label()
            + " holds dot: "
            + Reason.TARGET_LAYOUT);
    multiply(assignment, temp, 1, null, 0);
    assignment.assign(target, temp);
  }

  /** Plans the GEMM {@code to = alpha scale a b + beta to}; {@code scale} may be null. */
  void multiply(Assignment assignment, Tensor<?> to, double alpha, Scalars<?> scale, double beta) {
    Tensor<?> a = operand(assignment, inputs().get(0));
    Tensor<?> b = operand(assignment, inputs().get(1));
    int rank = shape().rank();
    long[] batch = new long[rank - 2];
    for (int d = 0; d < batch.length; d++) {
      batch[d] = shape().at(d);
    }
    long m = shape().at(rank - 2);
    long n = shape().at(rank - 1);
    long k = a.shape().at(a.shape().rank() - 1);
    var kernel =
        new Kernel.Gemm(
            "gemm_" + dtype() + "_" + m + "x" + n + "x" + k,
            dtype().scalar(),
            Longs.of(batch),
            m,
            n,
            k,
            memory(assignment, a, batch),
            memory(assignment, b, batch),
            memory(assignment, to, batch),
            alpha,
            Optional.ofNullable(scale).map(x -> assignment.plan().launchScalar(x)),
            beta);
    String sum = beta == 0 ? " = " : " += ";
    var plan = assignment.plan();
    plan.add(
        kernel,
        plan.name(kernel.c().buffer())
            + " "
            + to.label()
            + sum
            + "dot of "
            + plan.name(kernel.a().buffer())
            + " "
            + a.label()
            + " and "
            + plan.name(kernel.b().buffer())
            + " "
            + b.label());
  }

  /** Operand in memory with unit stride along one of the last two axes, copied if necessary. */
  private static Tensor<?> operand(Assignment assignment, Expr<?> e) {
    Tensor<?> t = assignment.memory(e);
    IndexMap map = t.layout().map();
    int rank = map.dims.length;
    long rows = map.dims[rank - 2];
    long columns = map.dims[rank - 1];
    long rowStride = rows == 1 ? Long.MAX_VALUE : map.strides[rank - 2];
    long columnStride = columns == 1 ? Long.MAX_VALUE : map.strides[rank - 1];
    boolean rowMajor = (columnStride == 1 || columns == 1) && rowStride >= columns;
    boolean columnMajor = (rowStride == 1 || rows == 1) && columnStride >= rows;
    return rowMajor || columnMajor ? t : assignment.contiguous(t);
  }

  private static Operand.Memory memory(Assignment assignment, Tensor<?> t, long[] batch) {
    int rank = batch.length + 2;
    long[] dims = java.util.Arrays.copyOf(batch, rank);
    dims[rank - 2] = t.shape().at(t.shape().rank() - 2);
    dims[rank - 1] = t.shape().at(t.shape().rank() - 1);
    IndexMap map = new ViewOp.Expand(Longs.of(dims)).apply(t.layout().map());
    return new Operand.Memory(
        t.dtype().scalar(),
        assignment.plan().number(t.storage()),
        map.affine(),
        Optional.empty(),
        List.of());
  }

  @Override
  @SuppressWarnings("unchecked")
  protected List<Expr<?>> gradients(Expr<T> dy) {
    var a = (Expr<T>) inputs().get(0);
    var b = (Expr<T>) inputs().get(1);
    return List.of(product(dy, b.swapAxes(-1, -2)), product(a.swapAxes(-1, -2), dy));
  }

  private static <T> Expr<T> product(Expr<T> a, Expr<T> b) {
    return Products.dot(a, b);
  }

  @Override
  public String toString() {
    return "dot";
  }
}
