package ristretto.nnet3;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Function that a {@link Node.ComponentNode} applies to its rows, with its parameters. Nodes that
 * name the same component share one instance.
 */
public interface Component {
  /** Returns the type name, such as {@code AffineComponent}. */
  String type();

  /** Returns the number of input columns. */
  int inputDim();

  /** Returns the number of output columns. */
  int outputDim();

  /** Returns the property flags. */
  Set<Property> properties();

  /** Returns type, settings and parameter statistics on one line, as Kaldi prints them. */
  String info();

  /**
   * Returns the text of {@link #info()}, optionally with singular values.
   *
   * @param singularValues true to add the singular values of parameter matrices
   */
  default String info(boolean singularValues) {
    return info();
  }

  /** Returns the number of trainable parameters. */
  default long parameterCount() {
    return 0;
  }

  /** Writes the component between the opening and closing tokens of its type. */
  void write(KaldiOutput out);

  /** Returns a copy that can be changed independently. */
  Component copy();

  /**
   * Multiplies the parameters, or the statistics of a component without parameters, by a factor.
   */
  void scale(float factor);

  /**
   * Adds {@code factor} times the parameters or statistics of a component of the same type and
   * size.
   */
  void add(float factor, Component other);

  /** Returns true if the component has the property. */
  default boolean has(Property property) {
    return properties().contains(property);
  }

  /**
   * Returns the input rows that the output row at {@code output} depends on, required or optional.
   */
  default List<Index> inputIndexes(Index output) {
    return List.of(output);
  }

  /**
   * Returns the time offsets at which output rows read input rows of equal x and n; empty if the
   * component does not declare them.
   */
  default Optional<TimeOffsets> reach() {
    return Optional.empty();
  }

  /**
   * Returns true if the output row can be computed from the available input rows. If so, passes the
   * rows that are read to {@code used}.
   */
  default boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    if (!available.test(output)) {
      return false;
    }
    used.accept(output);
    return true;
  }

  /** Returns true if each output row depends on the input row at its own index only. */
  default boolean isSimple() {
    return has(Property.SIMPLE);
  }
}
