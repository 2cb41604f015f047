package ristretto.nnet3;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import ristretto.nnet3.io.KaldiOutput;

/**
 * What a {@link Node.ComponentNode} does to its rows, with its parameters. Components of a network
 * are shared by the nodes that name them.
 */
public interface Component {
  /** The name of its type, such as {@code AffineComponent}. */
  String type();

  /** Columns of what it reads. */
  int inputDim();

  /** Columns of what it makes. */
  int outputDim();

  /** What it is like. */
  Set<Property> properties();

  /** Type, settings and statistics of parameters on one line, as Kaldi prints them. */
  String info();

  /**
   * The same.
   *
   * @param singularValues whether to add the singular values of matrices of parameters
   */
  default String info(boolean singularValues) {
    return info();
  }

  /** How many numbers training changes. */
  default long parameterCount() {
    return 0;
  }

  /** Writes the component with the tokens of its type around it. */
  void write(KaldiOutput out);

  /** A component that changes on its own. */
  Component copy();

  /** Multiplies parameters, or statistics where there are no parameters. */
  void scale(float factor);

  /** Adds {@code factor} times the parameters or statistics of one of the same type and size. */
  void add(float factor, Component other);

  /** Whether the component has the property. */
  default boolean has(Property property) {
    return properties().contains(property);
  }

  /** The input rows that the output row at {@code output} would like to read. */
  default List<Index> inputIndexes(Index output) {
    return List.of(output);
  }

  /** At which times output rows look for input rows, if they keep their x and n; else empty. */
  default Optional<TimeReach> reach() {
    return Optional.empty();
  }

  /**
   * Whether the output row can be computed from the input rows that are available. If so, passes
   * those it reads to {@code used}.
   */
  default boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    if (!available.test(output)) {
      return false;
    }
    used.accept(output);
    return true;
  }

  /** Whether output rows depend on the input row at their own index alone. */
  default boolean isSimple() {
    return has(Property.SIMPLE);
  }
}
