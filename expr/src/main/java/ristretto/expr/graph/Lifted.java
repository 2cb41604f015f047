package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.type.DType;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lift.LiftedLambda;

/**
 * Element-wise application of a user's lambda; captured values are launch scalars.
 *
 * @param lambda object that holds the captured values
 * @param indexed true if the last parameter is the row-major number of the element
 */
public record Lifted(Lambda lambda, LiftedLambda code, boolean indexed) implements Formula {
  @Override
  public Object key(Term term) {
    return code;
  }

  @Override
  public void scalars(Term term, ScalarSink sink) {
    var types = code.captured();
    if (types.isEmpty()) {
      return;
    }
    long[] bits = code.capturedBits(lambda);
    for (int k = 0; k < bits.length; k++) {
      sink.addBits(DType.of(types.get(k)), bits[k]);
    }
  }

  @Override
  public Scalar read(Term term, Reads in) {
    int operands = term.operands().size();
    int given = operands + (indexed ? 1 : 0);
    int[] rows = new int[given + code.captured().size()];
    for (int k = 0; k < operands; k++) {
      rows[k] = in.input(k).row();
    }
    if (indexed) {
      rows[operands] = in.elementNumber().row();
    }
    for (int k = given; k < rows.length; k++) {
      rows[k] = in.number(k - given).row();
    }
    return in.scalar(in.tape().inline(code.tape(), rows)[0]);
  }

  /** Name of the method of a method reference, or "map". */
  @Override
  public String text(Term term) {
    int at = code.description().indexOf("::");
    return at < 0 ? "map" : code.description().substring(at + 2);
  }
}
