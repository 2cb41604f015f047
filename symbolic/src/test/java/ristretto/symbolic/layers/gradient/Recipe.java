package ristretto.symbolic.layers.gradient;

import java.util.List;
import java.util.function.Function;
import ristretto.expr.type.F64;
import ristretto.symbolic.graph.Variable;

/**
 * Application of a layer or loss whose gradients are checked.
 *
 * @param covered public methods that the recipe covers, as {@link PublicMethods} names them
 * @param layer application, which returns the output
 */
record Recipe(List<String> covered, Function<Operands, Variable<F64>> layer) {
  @Override
  public String toString() {
    return String.join(" ", covered);
  }
}
