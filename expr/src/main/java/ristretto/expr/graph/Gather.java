package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;

/**
 * Gather of source elements at positions from an index along one axis. The operands are the source
 * and the index.
 *
 * @param along true for takeAlongAxis (the index has the result's shape); false for take (the
 *     index's shape replaces the axis)
 */
public record Gather(int axis, boolean along) implements Formula {
  @Override
  public Scalar read(Term term, Reads in) {
    return in.gather(0, 1, axis, along);
  }

  @Override
  public String text(Term term) {
    return along ? "takeAlongAxis" : "take";
  }
}
