package ristretto.jmh.engine;

import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;

/** Inputs and expression of a line, for measurements of its first call. */
public final class ColdLine {
  private ColdLine() {}

  public static List<Tensor<F32>> inputs(Context context, Line line, Dims dims) {
    return EngineCompetitor.inputs(context, line, dims);
  }

  public static Expr<F32> of(String line, List<Tensor<F32>> inputs) {
    return Expressions.of(line, inputs);
  }
}
