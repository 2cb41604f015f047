package ristretto.symbolic;

import java.util.HashMap;
import java.util.Map;
import ristretto.expr.DType;

/** Parameters by name, which several networks may share. */
final class Parameters {
  private final boolean shared;
  private final Map<String, Variable<?>> all = new HashMap<>();

  /**
   * Creates an empty set of parameters.
   *
   * @param shared true if equal names yield one parameter
   */
  Parameters(boolean shared) {
    this.shared = shared;
  }

  @SuppressWarnings("unchecked")
  <T> Variable<T> get(String name, DType<T> dtype, Initializer initializer, long... dims) {
    if (!shared) {
      return Variable.parameter(name, dtype, initializer, dims);
    }
    return (Variable<T>)
        all.computeIfAbsent(name, _ -> Variable.parameter(name, dtype, initializer, dims));
  }

  /** Applies a dense layer with parameters of this set. */
  <T> Variable<T> dense(String name, Variable<T> v, long units) {
    Variable<T> w = get(name + ".weight", v.dtype(), Initializer.xavier(), v.dims().at(-1), units);
    return Layers.dense(name, v, w, get(name + ".bias", v.dtype(), Initializer.zeros(), units));
  }
}
