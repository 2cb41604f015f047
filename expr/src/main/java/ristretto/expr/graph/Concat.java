package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.index.ViewOp;
import ristretto.kernels.ir.Longs;

/**
 * Concatenation of a few operands along an axis, inlined as a selection by position; see {@link
 * Barrier.ConcatCopies} for many parts.
 */
public record Concat(int axis) implements Formula {
  /**
   * Maximal number of parts, since each element is compared with the limits of all parts; {@link
   * Barrier.ConcatCopies} copies more parts one by one.
   */
  public static final int MOST_PARTS = 4;

  @Override
  public Scalar read(Term term, Reads in) {
    Scalar position = in.coordinate(axis);
    long[] before = new long[term.shape().rank()];
    Scalar result = null;
    long end = term.shape().at(axis);
    for (int k = term.operands().size() - 1; k >= 0; k--) {
      long start = end - term.operand(k).shape().at(axis);
      before[axis] = start;
      Scalar part = in.through(k, new ViewOp.Pad(Longs.of(before), term.shape().longs()));
      result = result == null ? part : position.lt(position.constant(end)).select(part, result);
      end = start;
    }
    return result;
  }

  @Override
  public String text(Term term) {
    return "concat";
  }
}
