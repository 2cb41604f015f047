package ristretto.nnet3;

import java.util.function.UnaryOperator;

/** What a network consists of. The name is unique in it. */
public sealed interface Node {
  /** The name, which descriptors and requests use. */
  String name();

  /** Takes what the user supplies. */
  record InputNode(String name, int dim) implements Node {}

  /** What a component makes of what a descriptor gathers. */
  record ComponentNode(String name, String component, Descriptor input) implements Node {
    /** The name under which Kaldi keeps what the descriptor gathers. */
    public String inputName() {
      return name + "_input";
    }
  }

  /** Gives to the user what a descriptor gathers; nothing reads it. */
  record OutputNode(String name, Descriptor input, Objective objective) implements Node {}

  /** Columns {@code dimOffset} to {@code dimOffset + dim - 1} of an input or component node. */
  record DimRangeNode(String name, Descriptor.Source source, int dimOffset, int dim)
      implements Node {}

  /** What training makes of an output. */
  enum Objective {
    /** Sum of outputs times supervision. */
    LINEAR,
    /** Minus half the squared distance to the supervision. */
    QUADRATIC
  }

  /** The descriptor of a node that has one, else null. */
  default Descriptor descriptor() {
    return switch (this) {
      case ComponentNode n -> n.input();
      case OutputNode n -> n.input();
      case InputNode n -> null;
      case DimRangeNode n -> null;
    };
  }

  /** Whether descriptors may read it. */
  default boolean isReadable() {
    return !(this instanceof OutputNode);
  }

  /** The same node with another name. */
  default Node named(String newName) {
    return switch (this) {
      case InputNode(String name, int dim) -> new InputNode(newName, dim);
      case ComponentNode(String name, String component, Descriptor input) ->
          new ComponentNode(newName, component, input);
      case OutputNode(String name, Descriptor input, Objective objective) ->
          new OutputNode(newName, input, objective);
      case DimRangeNode(String name, var source, int dimOffset, int dim) ->
          new DimRangeNode(newName, source, dimOffset, dim);
    };
  }

  /** The same node with what it reads replaced. */
  default Node mapSources(UnaryOperator<Descriptor.Source> f) {
    return switch (this) {
      case InputNode n -> n;
      case ComponentNode(String name, String component, Descriptor input) ->
          new ComponentNode(name, component, input.mapSources(f));
      case OutputNode(String name, Descriptor input, Objective objective) ->
          new OutputNode(name, input.mapSources(f), objective);
      case DimRangeNode(String name, var source, int dimOffset, int dim) ->
          new DimRangeNode(name, f.apply(source), dimOffset, dim);
    };
  }
}
