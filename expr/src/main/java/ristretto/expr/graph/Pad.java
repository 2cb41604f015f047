package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.Shape;

/** Padding of the first operand with the second, which is scalar. */
public record Pad(ViewOp.Pad op) implements Formula {
  private boolean isWidened(Term term, int d) {
    return op.before().get(d) != 0 || term.operand(0).shape().at(d) != term.shape().at(d);
  }

  /**
   * Limits of the operand within the result, as launch scalars, so that paddings of other amounts
   * share the kernel.
   */
  @Override
  public void scalars(Term term, ScalarSink sink) {
    Shape inner = term.operand(0).shape();
    for (int d = 0; d < inner.rank(); d++) {
      if (isWidened(term, d)) {
        sink.add(op.before().get(d));
        sink.add(op.before().get(d) + inner.at(d));
      }
    }
  }

  @Override
  public Scalar read(Term term, Reads in) {
    Scalar inside = null;
    int number = 0;
    for (int d = 0; d < term.shape().rank(); d++) {
      if (isWidened(term, d)) {
        Scalar i = in.coordinate(d);
        Scalar valid = i.ge(in.number(number++)).and(i.lt(in.number(number++)));
        inside = inside == null ? valid : inside.and(valid);
      }
    }
    Scalar value = in.through(0, op);
    return inside == null ? value : inside.select(value, in.input(1));
  }

  @Override
  public String text(Term term) {
    return "pad";
  }
}
