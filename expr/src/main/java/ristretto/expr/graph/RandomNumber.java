package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.Shape;
import ristretto.kernels.scalar.Node;

/**
 * Random numbers keyed by seed and element number (Philox4x32-10): reproducible, and fusible like
 * any element-wise operation. The operand is the seed, one I64 element.
 */
public record RandomNumber(Node.Distribution distribution) implements Formula {
  @Override
  public Scalar read(Term term, Reads in) {
    int counter = in.elementNumber().row();
    int seed = in.through(0, new ViewOp.Reshape(Shape.SCALAR.longs()), term.shape()).row();
    return in.scalar(in.tape().random(distribution, term.dtype().compute(), seed, counter));
  }

  @Override
  public String text(Term term) {
    return distribution.name().toLowerCase(java.util.Locale.ROOT);
  }
}
