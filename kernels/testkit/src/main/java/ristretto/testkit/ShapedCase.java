package ristretto.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.testkit.OpCase.Domain;

/**
 * An operation whose operands have shapes of their own: {@link #check} tries it on every dtype and
 * layout.
 *
 * @param shapes each a list of the operands' shapes
 */
record ShapedCase(OpCase op, List<List<long[]>> shapes) {

  /** Whole numbers, every one of {@code dtypes}, and not the least difference. */
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

  /** The shapes of one operation's operands. */
  static List<long[]> of(long[]... shapes) {
    return Arrays.asList(shapes);
  }

  /** Shapes of an operation's single operand. */
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

  /** The first dtype, every layout. */
  void checkLayouts(Context ctx, Portion portion) {
    for (TensorLayout layout : portion.of(List.of(TensorLayout.values()), 1)) {
      for (List<long[]> s : portion.of(shapes, 1)) {
        op.check(ctx, op.dtypes().getFirst(), List.of(layout, TensorLayout.TRANSPOSED), s);
      }
    }
  }
}
