package ristretto.symbolic.layers;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import ristretto.expr.type.DType;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/**
 * Parameters and states of a layer: created at the first application of the layer, and returned
 * again at each later one.
 */
final class Parameters {
  private final String layer;
  private final Map<String, Variable<?>> variables = new HashMap<>();
  private boolean applied;

  /**
   * Creates an empty set.
   *
   * @param layer name of the layer, the prefix of all names
   */
  Parameters(String layer) {
    if (layer == null || layer.isBlank()) {
      throw new ShapeException(
          "[layer] a layer must have a name, the prefix of its parameters; got %s; name it, as in new Dense(\"fc1\", 64)."
              .formatted(layer == null ? "null" : "\"" + layer + "\""));
    }
    this.layer = layer;
  }

  /** Returns the name of the layer. */
  String layer() {
    return layer;
  }

  /**
   * Returns the parameter {@code layer.name}.
   *
   * @param input input of the layer, whose dtype the parameter has
   */
  <T> Variable<T> parameter(String name, Variable<T> input, Initializer initializer, long... dims) {
    return parameter(name, input, input.dtype(), initializer, dims);
  }

  /**
   * Returns the parameter {@code layer.name} of a given dtype.
   *
   * @param input input of the layer, for messages
   */
  <T> Variable<T> parameter(
      String name, Variable<?> input, DType<T> dtype, Initializer initializer, long... dims) {
    return variable(
        name,
        input,
        dtype,
        dims,
        () -> Variable.parameter(layer + "." + name, dtype, initializer, dims));
  }

  /** Returns the parameter {@code layer.name}, or empty if there is no initializer. */
  <T> Optional<Variable<T>> parameter(
      String name, Variable<T> input, Optional<Initializer> initializer, long... dims) {
    return initializer.map(i -> parameter(name, input, i, dims));
  }

  /** Returns the state {@code layer.name}. */
  <T> Variable<T> state(String name, Variable<T> input, Initializer initializer, long... dims) {
    return variable(
        name,
        input,
        input.dtype(),
        dims,
        () -> Variable.state(layer + "." + name, input.dtype(), initializer, dims));
  }

  @SuppressWarnings("unchecked")
  private synchronized <T> Variable<T> variable(
      String name, Variable<?> input, DType<T> dtype, long[] dims, Supplier<Variable<T>> fresh) {
    applied = true;
    Variable<?> known = variables.get(name);
    if (known == null) {
      known = fresh.get();
      variables.put(name, known);
    }
    if (known.dtype() != (Object) dtype || !known.dims().equals(Dims.of(dims))) {
      throw new ShapeException(
          ("[%s] each input of a layer must have the width and the dtype of its first input; got"
                  + " %s, which needs %s %s%s, but the first one made %s; create another layer for"
                  + " this input.")
              .formatted(layer, input, name, dtype, Dims.of(dims), known));
    }
    return (Variable<T>) known;
  }

  /**
   * Returns new parameters for a copy of the layer with another option.
   *
   * @throws ShapeException if the layer has been applied
   */
  synchronized Parameters changed(String option) {
    requireNew(layer, option, applied);
    return new Parameters(layer);
  }

  /**
   * Checks that a layer has not been applied when an option is set.
   *
   * @throws ShapeException if it has
   */
  static void requireNew(String layer, String option, boolean applied) {
    if (applied) {
      throw new ShapeException(
          ("[%s] options must be set before the first application of a layer; got %s after it; set"
                  + " it where the layer is created.")
              .formatted(layer, option));
    }
  }

  /** Returns the last dimension of an input. */
  long width(Variable<?> v) {
    long width = v.dims().rank() == 0 ? Dims.UNKNOWN : v.dims().at(-1);
    if (width == Dims.UNKNOWN) {
      throw new ShapeException(
          "["
              + layer
              + "] the last dimension of the input must be known; got "
              + v
              + "; declare it, or reshape the input to a known width.");
    }
    return width;
  }

  /** Returns the number of channels of an input {@code [n, c, ...]}. */
  long channels(Variable<?> v) {
    if (v.dims().rank() < 2 || v.dims().at(1) == Dims.UNKNOWN) {
      throw new ShapeException(
          "[" + layer + "] the input must be [n, c, ...] with c known; got " + v + ".");
    }
    return v.dims().at(1);
  }
}
