package ristretto.expr.graph;

import java.util.OptionalLong;
import ristretto.expr.form.Form;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Longs;

/** Number of floating-point operations of a term, given its operands. */
public final class OperationCount {
  private OperationCount() {}

  /**
   * Returns the number; empty if unknown, as for user-defined operators. A function such as exp is
   * one operation; comparisons, selections and conversions are none.
   */
  public static OptionalLong of(Term e) {
    return switch (e.operation()) {
      case StorageView _ -> OptionalLong.of(0);
      case Barrier b -> barrier(e, b);
      case Formula _ -> formula(e);
    };
  }

  private static OptionalLong barrier(Term e, Barrier b) {
    return switch (b) {
      case Barrier.CustomBarrier _ -> OptionalLong.empty();
      case Barrier.ConcatCopies _, Barrier.IntegerDot _, Barrier.Sort _, Barrier.ViewScatter _ ->
          OptionalLong.of(0);
      case Barrier.Dot _ -> OptionalLong.of(2 * e.shape().size() * e.operand(0).shape().dim(-1));
      case Barrier.Fourier f -> {
        Shape from = e.operand(0).shape();
        double passes = Math.log(from.at(f.axis())) / Math.log(2);
        yield OptionalLong.of(Math.round(5 * from.size() * passes));
      }
      case Barrier.Convolve c -> {
        // each element of the results is a product with one filter
        Longs filters = c.key().filters();
        long perResult = filters.product() / Math.max(1, filters.get(0));
        yield OptionalLong.of(2 * c.key().results().product() * perResult);
      }
      case Barrier.Reduce _, Barrier.Scan _, Barrier.FoldWindows _ -> perElement(e.operand(0));
      case Recurrence r -> OptionalLong.of(e.shape().size() / r.states() * r.tape().operations());
      case Barrier.Scatter _ -> perElement(e.operand(1));
    };
  }

  private static OptionalLong perElement(Term operand) {
    return OptionalLong.of(operand.dtype().isFloat() ? operand.shape().size() : 0);
  }

  private static OptionalLong formula(Term e) {
    return switch (Forms.of(e)) {
      case Form.Elements elements -> {
        long operations = 0;
        for (Form.Row row : elements.rows()) {
          if (row instanceof Form.Row.Other) {
            yield OptionalLong.empty();
          }
          operations += row instanceof Form.Row.Operation o && isArithmetic(o) ? 1 : 0;
        }
        yield OptionalLong.of(operations * e.shape().size());
      }
      // a formula without element-wise form: views move elements, other code is unknown
      case Form.Other _ ->
          e.operation() instanceof View ? OptionalLong.of(0) : OptionalLong.empty();
      case Form.Memory _,
          Form.Number _,
          Form.Cast _,
          Form.Reshape _,
          Form.Expand _,
          Form.Permute _,
          Form.Step _,
          Form.Pad _,
          Form.Concat _,
          Form.Reduction _,
          Form.Product _,
          Form.Take _,
          Form.Scan _,
          Form.Sort _,
          Form.Random _ ->
          OptionalLong.of(0);
    };
  }

  private static boolean isArithmetic(Form.Row.Operation o) {
    return o.dtype().isFloat() && !o.word().equals("select") && !o.word().equals("convert");
  }
}
