package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;

/**
 * Options of a normalization: epsilon, and the learned scale {@code weight} (ones) and shift {@code
 * bias} (zeros).
 */
record Affine(double epsilon, boolean weight, boolean bias) {
  Affine withEpsilon(double changed) {
    return new Affine(changed, weight, bias);
  }

  Affine withBoth(boolean affine) {
    return new Affine(epsilon, affine, affine);
  }

  Affine withBias(boolean changed) {
    return new Affine(epsilon, weight, changed);
  }

  <T> Optional<Variable<T>> weight(Parameters parameters, Variable<T> v, long size) {
    return parameters.parameter("weight", v, present(weight, Initializer.ones()), size);
  }

  <T> Optional<Variable<T>> bias(Parameters parameters, Variable<T> v, long size) {
    return parameters.parameter("bias", v, present(bias, Initializer.zeros()), size);
  }

  private static Optional<Initializer> present(boolean present, Initializer initializer) {
    return present ? Optional.of(initializer) : Optional.empty();
  }

  /**
   * Normalizes, scales and shifts a variable.
   *
   * @param size number of scales and shifts
   * @param normal normalizes
   * @param spread reshapes scales and shifts so that they broadcast to the result
   */
  <T> Variable<T> of(
      Parameters parameters,
      Variable<T> v,
      long size,
      UnaryOperator<Expr<T>> normal,
      UnaryOperator<Expr<T>> spread) {
    Optional<Variable<T>> w = weight(parameters, v, size);
    Optional<Variable<T>> b = bias(parameters, v, size);
    var inputs = new ArrayList<>(List.of(v));
    w.ifPresent(inputs::add);
    b.ifPresent(inputs::add);
    return new FormulaOperator<>(
            parameters.layer(),
            v.dtype(),
            x -> shifted(x, scaled(x, normal.apply(x.get(v)), w, spread), b, spread),
            inputs)
        .output();
  }

  private static <T> Expr<T> scaled(
      Values x, Expr<T> y, Optional<Variable<T>> w, UnaryOperator<Expr<T>> spread) {
    return w.map(p -> y.times(spread.apply(x.get(p)))).orElse(y);
  }

  private static <T> Expr<T> shifted(
      Values x, Expr<T> y, Optional<Variable<T>> b, UnaryOperator<Expr<T>> spread) {
    return b.map(p -> y.plus(spread.apply(x.get(p)))).orElse(y);
  }
}
