package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.index.ViewOp;

/** View of another expression through an index map, without copying elements. */
public record View(ViewOp op) implements Formula {
  @Override
  public Object key(Term term) {
    return op;
  }

  @Override
  public Scalar read(Term term, Reads in) {
    return in.through(0, op);
  }

  @Override
  public String text(Term term) {
    return op.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT) + " to " + term.shape();
  }
}
