package ristretto.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.testkit.OpCase.Domain;

/**
 * Test case of an operation whose operands have specific shapes. {@link #check} runs it on every
 * dtype and layout.
 *
 * @param shapes lists of the operands' shapes, one list per run
 */
record ShapedCase(OpCase op, List<List<long[]>> shapes) {

  /** Returns a case of whole numbers whose results must equal the oracle's exactly. */
  static ShapedCase exact(
      String name,
      List<DType<?>> dtypes,
      List<List<long[]>> shapes,
      Function<List<Expr<F32>>, Expr<?>> ours,
      Function<List<Nd>, Nd> oracle) {
    int arity = shapes.getFirst().size();
    return new ShapedCase(
        new OpCase(name, dtypes, Domain.SMALL, Tolerance.EQUAL, arity, ours, oracle), shapes);
  }

  /** Lists the shapes of one run's operands. */
  static List<long[]> of(long[]... shapes) {
    return Arrays.asList(shapes);
  }

  /** Lists shapes of an operation with a single operand, one run each. */
  static List<List<long[]>> each(long[]... shapes) {
    return Arrays.stream(shapes).map(s -> List.of(s)).toList();
  }

  @Override
  public String toString() {
    return op.name();
  }

  void check(Context ctx, Portion portion) {
    for (DType<?> dtype : portion.of(op.dtypes(), 1)) {
      for (List<long[]> s : shapes) {
        op.check(ctx, dtype, List.of(TensorLayout.CONTIGUOUS), s);
      }
    }
    checkLayouts(ctx, portion);
  }

  /** Checks the first dtype in every layout. */
  void checkLayouts(Context ctx, Portion portion) {
    for (TensorLayout layout : portion.of(List.of(TensorLayout.values()), 1)) {
      for (List<long[]> s : portion.of(shapes, 1)) {
        op.check(ctx, op.dtypes().getFirst(), List.of(layout, TensorLayout.TRANSPOSED), s);
      }
    }
  }
}
