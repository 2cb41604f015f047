package ristretto.expr.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.Size;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.Shape;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** Lowers matrix products to GEMM kernels, which scale and accumulate. */
final class LowerProduct {
  /** Least sizes of integer products by the device's kernel; smaller ones are sums of products. */
  private static final int INTEGER_ROWS = 4;

  private static final int INTEGER_COLUMNS = 8;

  private LowerProduct() {}

  /**
   * Returns true if a GEMM can write the tensor: unit stride within rows, and rows that do not
   * overlap.
   */
  static boolean canWrite(StorageView to) {
    IndexMap map = to.map();
    int rank = map.dims.length;
    if (rank < 2) {
      return map.isContiguous();
    }
    return (map.strides[rank - 1] == 1 || map.dims[rank - 1] == 1)
        && (map.strides[rank - 2] >= map.dims[rank - 1] || map.dims[rank - 2] == 1);
  }

  /** Returns true if the device has a kernel for a product of integers. */
  static boolean isTaken(Term dot, AssignmentLowering assignment) {
    Shape shape = dot.shape();
    int rank = shape.rank();
    return shape.at(rank - 2) >= INTEGER_ROWS
        && shape.at(rank - 1) >= INTEGER_COLUMNS
        && assignment.plan().context().device().multiplies(signed(dot.dtype().scalar()));
  }

  /** Type whose products have the same bits. */
  private static ScalarType signed(ScalarType type) {
    return switch (type) {
      case U32 -> ScalarType.I32;
      case U64 -> ScalarType.I64;
      default -> type;
    };
  }

  static void execute(Term dot, AssignmentLowering assignment, StorageView to) {
    if (canWrite(to)) {
      multiply(dot, assignment, to, 1, null, 0);
      return;
    }
    StorageView temp = assignment.temporary(dot.dtype(), dot.shape());
    assignment.plan().materialized(temp, "holds dot", Reason.TARGET_LAYOUT);
    multiply(dot, assignment, temp, 1, null, 0);
    assignment.assign(to, Term.of(temp));
  }

  /** Plans the GEMM {@code to = alpha scale a b + beta to}; {@code scale} may be null. */
  static void multiply(
      Term dot,
      AssignmentLowering assignment,
      StorageView to,
      double alpha,
      Term scale,
      double beta) {
    StorageView a = operand(assignment, dot.operand(0));
    StorageView b = operand(assignment, dot.operand(1));
    Shape shape = dot.shape();
    int rank = shape.rank();
    long[] batch = new long[rank - 2];
    for (int d = 0; d < batch.length; d++) {
      batch[d] = shape.at(d);
    }
    long m = shape.at(rank - 2);
    long n = shape.at(rank - 1);
    long k = a.shape().at(a.shape().rank() - 1);
    var plan = assignment.plan();
    var kernel =
        new Kernel.Gemm(
            "gemm_" + dot.dtype() + "_" + Size.text(m) + "x" + Size.text(n) + "x" + Size.text(k),
            signed(dot.dtype().scalar()),
            Longs.of(batch),
            m,
            n,
            k,
            memory(plan, a, batch),
            memory(plan, b, batch),
            memory(plan, to, batch),
            alpha,
            Optional.ofNullable(scale).map(plan::launchScalar),
            beta);
    String sum = beta == 0 ? " = " : " += ";
    plan.add(kernel, plan.label(to) + sum + "dot of " + plan.label(a) + " and " + plan.label(b));
  }

  /** Plans a product with a block-quantized matrix. */
  static void blocks(
      BlockFormat format,
      AssignmentLowering assignment,
      StorageView a,
      StorageView blocks,
      StorageView to) {
    if (!canWrite(to)) {
      StorageView temp = assignment.temporary(to.dtype(), to.shape());
      assignment.plan().materialized(temp, "holds dot", Reason.TARGET_LAYOUT);
      blocks(format, assignment, a, blocks, temp);
      assignment.assign(to, Term.of(temp));
      return;
    }
    long m = a.shape().at(0);
    long k = a.shape().at(1);
    long n = blocks.shape().at(0);
    var plan = assignment.plan();
    plan.add(
        new Kernel.BlockGemm(
            "gemm_" + format.label() + "_" + Size.text(m) + "x" + n + "x" + k,
            format,
            m,
            n,
            k,
            assignment.memory(a, a.map()),
            assignment.memory(blocks, blocks.map()),
            assignment.memory(to, to.map())),
        plan.label(to) + " = dot of " + plan.label(a) + " and " + format.label() + " blocks");
  }

  /** Operand in memory with unit stride along one of the last two axes, copied if necessary. */
  private static StorageView operand(AssignmentLowering assignment, Term e) {
    StorageView t = assignment.memory(e);
    IndexMap map = t.map();
    int rank = map.dims.length;
    long rows = map.dims[rank - 2];
    long columns = map.dims[rank - 1];
    long rowStride = rows == 1 ? Long.MAX_VALUE : map.strides[rank - 2];
    long columnStride = columns == 1 ? Long.MAX_VALUE : map.strides[rank - 1];
    boolean rowMajor = (columnStride == 1 || columns == 1) && rowStride >= columns;
    boolean columnMajor = (rowStride == 1 || rows == 1) && columnStride >= rows;
    return rowMajor || columnMajor ? t : assignment.contiguous(e.memory() == t ? e : Term.of(t));
  }

  private static Operand.Memory memory(PlanBuilder plan, StorageView t, long[] batch) {
    int rank = batch.length + 2;
    long[] dims = Arrays.copyOf(batch, rank);
    dims[rank - 2] = t.shape().at(t.shape().rank() - 2);
    dims[rank - 1] = t.shape().at(t.shape().rank() - 1);
    IndexMap map = new ViewOp.Expand(Longs.of(dims)).apply(t.map());
    return new Operand.Memory(
        signed(t.dtype().scalar()),
        plan.number(t.storage()),
        map.affine(),
        Optional.empty(),
        List.of());
  }
}
